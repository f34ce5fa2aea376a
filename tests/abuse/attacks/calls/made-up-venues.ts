import type { PerformanceReport, Venue, VenueReport } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { RandomBelow } from '#server/ids.ts';
import type { Attack } from '../../attack.ts';
import { bothDatabases } from '../../attack.ts';
import type { Client } from '../../client.ts';
import { repeat } from '../../client.ts';
import { createFindings } from '../../findings.ts';

/** Characters that names, ids and versions may not have, or that mean something elsewhere. */
const odd = ['\u0000', '\u202e', '\ud800', '\ufffe', "'", '"', '%', ';--', '<b>', '../', '👩‍👧', 'é', '\n'];

const real: VenueReport = { id: 'screen-of-the-bar', name: 'Bar', playing: 4, version: '1.0.0' };

/** Screens that nobody has, thousands of them from one network, beside one that is there. */
export const madeUpVenues: Attack = {
  name: 'made-up-venues',
  databases: bothDatabases,
  short: ['sqlite'],
  // Behind a proxy everybody has a network of their own.
  setting: 'proxied',
  async run(target, random, budget) {
    const findings = createFindings();
    const admin = (await target.admin()).client;
    const screen = await target.visitor();
    const expectListed = async (when: string) => {
      const venues = await listVenues(admin);
      const own = venues.filter(({ id }) => id === real.id);
      findings.expect(own.length === 1 && own[0]?.state === 'open', `the real venue is not listed ${when}`);
      return venues;
    };
    findings.expect((await report(screen, real)) === 202, 'the real venue is refused');
    await expectListed('before');

    const attacker = await target.visitor();
    const statuses = await repeat(budget.count(120, 10_000), 16, async (index) => {
      const venue = makeUp(random, index);
      const status = await report(attacker, venue);
      // An address that has used up what it may send is refused.
      findings.expect([202, 400, 429].includes(status), `${JSON.stringify(venue)} is answered with ${status}`);
      return status;
    });
    findings.expect(statuses.includes(202), 'no report of a made-up venue is taken: nothing was tried');
    findings.expect(statuses.includes(400), 'venues with odd characters are taken');

    findings.expect((await report(screen, { ...real, playing: 3 })) === 202, 'the real venue is refused afterwards');
    const venues = await expectListed('afterwards');
    const others = venues.filter(({ id }) => id !== real.id);
    findings.expect(
      others.length <= limits.venuesPerNetwork,
      `one network has put ${others.length} venues on the list`,
    );
    const second = await report(await target.visitor(), { ...real, id: 'screen-of-the-hall', name: 'Hall' });
    findings.expect(second === 202, 'another real venue is refused');
    findings.expect(
      (await listVenues(admin)).some(({ name }) => name === 'Hall'),
      'a venue of another network finds no place',
    );
    return findings.list();
  },
};

async function report(client: Client, venue: object): Promise<number> {
  const body: Pick<PerformanceReport, 'samples'> & { venue: object } = { samples: [], venue };
  return (await client.post('/api/optimization/performance/all', body)).status;
}

async function listVenues(admin: Client): Promise<Venue[]> {
  const { status, body } = await admin.get('/api/admin/performance/venues');
  if (status !== 200) throw new Error(`the list of venues is answered with ${status}: ${body}`);
  return (JSON.parse(body) as { venues: Venue[] }).venues;
}

/** Of four, one is what a screen could say, and in each of the others one field is odd. */
function makeUp(random: RandomBelow, index: number): object {
  const mark = odd[random(odd.length)] ?? '';
  const venue = { ...real, id: `made-up-${index}`, name: `Venue ${index}` };
  if (index % 4 === 1) return { ...venue, id: `${venue.id}${mark}` };
  if (index % 4 === 2) return { ...venue, name: mark.repeat(1 + random(3 * limits.venueNameCharacters)) };
  if (index % 4 === 3) return { ...venue, version: `1.0${mark}`, playing: random(9) - 2 };
  return venue;
}
