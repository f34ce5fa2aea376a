import { beforeEach, expect, test } from 'vitest';
import type { Venue, VenueReport } from '#contract/entities/performance.ts';
import { performanceAlertsSchema, venuesSchema } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { personOf, putAccount, signIn } from '#tests/support/people.ts';
import { sendReport } from '#tests/support/performance-reports.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const minute = 60_000;
const hour = 60 * minute;
const clock = settableClock();
const env = await migratedSite(afterFile);
const server = await startServer({ env, overrides: { clock } }, afterFile);
const other = await startServer({ env, overrides: { clock } }, afterFile);
await putAccount(server, 'ada', 'admin');

/** Nothing is left of the month before. */
beforeEach(async () => {
  clock.pass((limits.venueKeptDays + 1) * 24 * hour);
  await writeAll();
});

const bar: VenueReport = { id: 'screen-of-the-bar', name: 'Bar', playing: 4, version: '1.0' };

interface Sender {
  to?: ServerUnderTest;
  from?: string;
}

const report = async (venue: object, { to = server, from = '192.0.2.7' }: Sender = {}) =>
  (await sendReport(to, 'all', { samples: [], venue }, { remoteAddress: from })).statusCode;

async function writeAll(): Promise<void> {
  for (const each of [server, other]) while (await each.services.playbackHealth.write());
}

const headersOfAda = async () => personOf(await signIn(server, 'ada')).headers;

async function list(of = server): Promise<Venue[]> {
  const reply = await of.get('/api/admin/performance/venues', await headersOfAda());
  return venuesSchema.parse(reply.json()).venues;
}

async function alerts(): Promise<string[]> {
  await server.services.alertWatch.check();
  const reply = await server.get('/api/admin/performance/alerts', await headersOfAda());
  return performanceAlertsSchema.parse(reply.json()).alerts.map(({ message }) => message);
}

const statesOf = (venues: Venue[]) => venues.map(({ name, state }) => [name, state]);

test('a screen that reports is listed by every process, with what it says of itself', async () => {
  const since = new Date(clock.now()).toISOString();
  expect(await report(bar)).toBe(202);
  await writeAll();
  clock.pass(minute);
  await report({ ...bar, playing: 3, is_signed_out: true }, { to: other });
  await writeAll();
  const row = { ...bar, playing: 3, state: 'open', is_signed_out: true, since };
  for (const each of [server, other])
    expect(await list(each)).toEqual([{ ...row, last_seen: new Date(clock.now()).toISOString() }]);
});

test('one that falls silent raises one alert, and its silence ends its run', async () => {
  await report(bar);
  await writeAll();
  const seen = new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ');
  clock.pass(4 * minute);
  expect(await alerts()).toEqual([]);
  for (let round = 0; round < 12; round += 1) {
    clock.pass(10_000);
    await server.services.alertWatch.check();
  }
  expect(await alerts()).toEqual([`Venue Bar was last seen ${seen} UTC.`]);
  expect(statesOf(await list())).toEqual([['Bar', 'silent']]);
  const since = new Date(clock.now()).toISOString();
  await report(bar);
  expect((await list()).map((venue) => [venue.state, venue.since])).toEqual([['open', since]]);
});

test('a closed venue is not missed, one that does not open again is', async () => {
  await report({ ...bar, closes_in: 60, opens_in: 8 * 3_600 });
  await writeAll();
  clock.pass(7 * hour);
  expect([await alerts(), statesOf(await list())]).toEqual([[], [['Bar', 'closed']]]);
  clock.pass(hour + 4 * minute);
  expect([await alerts(), statesOf(await list())]).toEqual([[], [['Bar', 'open']]]);
  clock.pass(2 * minute);
  expect(await alerts()).toHaveLength(1);
});

test('where venue mode ends, and where an administrator forgets it, it leaves the list', async () => {
  for (const id of ['ends', 'forgotten']) await report({ ...bar, id });
  await writeAll();
  await report({ ...bar, id: 'ends', has_ended: true });
  const reply = await server.call('DELETE', '/api/admin/performance/venues/forgotten', {
    headers: await headersOfAda(),
  });
  expect(reply.statusCode).toBe(204);
  expect(await list()).toEqual([]);
  await writeAll();
  clock.pass(10 * minute);
  expect([await list(), await alerts()]).toEqual([[], []]);
});

test('whoever is no administrator neither reads nor forgets venues', async () => {
  await putAccount(server, 'bob', 'pro').catch(() => {});
  const { headers } = personOf(await signIn(server, 'bob'));
  for (const given of [{}, headers]) {
    const refused = Object.keys(given).length === 0 ? 401 : 403;
    expect((await server.get('/api/admin/performance/venues', given)).statusCode).toBe(refused);
    const reply = await server.call('DELETE', '/api/admin/performance/venues/x', { headers: given });
    expect(reply.statusCode).toBe(refused);
  }
});

test('no stranger fills the list, nor takes the place of who is in it', async () => {
  await report(bar);
  await writeAll();
  for (let at = 0; at < 2 * limits.venuesPerNetwork; at += 1)
    await report({ ...bar, id: `made-up-${at}`, name: 'Made up' }, { from: '198.51.100.9' });
  await writeAll();
  expect(await list()).toHaveLength(1 + limits.venuesPerNetwork);
  for (let at = 0; at < limits.venuesListed; at += 1)
    await report({ ...bar, id: `from-everywhere-${at}`, name: 'Made up' }, { to: other, from: `203.0.${at}.9` });
  await writeAll();
  await report({ ...bar, playing: 2 });
  await writeAll();
  const listed = await list();
  expect(listed).toHaveLength(limits.venuesListed);
  expect(listed[0]).toMatchObject({ name: 'Bar', playing: 2 });
  clock.pass(25 * hour);
  await writeAll();
  await report({ ...bar, id: 'new', name: 'A new one' });
  await writeAll();
  expect((await list()).map(({ name }) => name)).toContain('A new one');
});

test.each([
  ['no name', { name: ' ' }],
  ['a long name', { name: 'x'.repeat(limits.venueNameCharacters + 1) }],
  ['five videos', { playing: 5 }],
  ['a night of a week', { closes_in: 1, opens_in: 604_800 }],
  ['no id', { id: '' }],
  ['a NUL in its name', { name: 'Bar\u0000' }],
  ['half a character in its name', { name: 'Bar\ud83d' }],
  ['a name that turns the line around', { name: '\u202eraB' }],
  ['a NUL in its id', { id: 'bar\u0000' }],
  ['a NUL in its version', { version: '1\u0000' }],
])('a report with %s is refused', async (_, facts) => {
  expect(await report({ ...bar, ...facts })).toBe(400);
  await writeAll();
  expect(await list()).toEqual([]);
});
