import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { ActiveViewers } from '#contract/entities/performance.ts';
import { activeViewersSchema } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import { smallVideo } from '#tests/support/media/videos.ts';
import { personOf, putAccount, signIn } from '#tests/support/people.ts';
import { samplesUntil, sendReport, viewerCookie } from '#tests/support/performance-reports.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const second = 1_000;
const clock = settableClock();
const library = temporaryFolder(afterFile);
copyFileSync(smallVideo(), join(library, 'film.mp4'));
const METRICS_TOKEN = 'a-token-for-the-monitor';
const server = await startServer({ library: [library], env: { METRICS_TOKEN }, overrides: { clock } }, afterFile);
await putAccount(server, 'ada', 'admin');

/** Nobody watches any more. */
beforeEach(() => clock.pass(3_600_000));

let viewers = 0;
function newViewer(): string {
  viewers += 1;
  return viewerCookie(viewers);
}

/** Sends so many bytes, which take a second. */
function send(viewer: string, bytes: number, ip = '198.51.100.9'): void {
  const sent = server.services.sentBytes.viewer({ ip, cookies: { viewer } });
  sent.given(bytes);
  sent.delivered({ bytes, ms: bytes === 1 ? 0 : 1_000 });
}

async function report(viewer: string, quadrant: string, body: object, remoteAddress = '198.51.100.9') {
  const reply = await sendReport(server, quadrant, body, { viewer, remoteAddress });
  expect(reply.statusCode).toBe(202);
}

async function list(): Promise<ActiveViewers> {
  const { headers } = personOf(await signIn(server, 'ada'));
  return activeViewersSchema.parse((await server.get('/api/admin/performance/viewers', headers)).json());
}

const instant = (ago = 0) => new Date(clock.now() - ago).toISOString();

test('nobody is listed while nobody watches', async () => {
  expect(await list()).toEqual({ total: 0, viewers: [] });
});

test('whoever is sent bytes and reports is one viewer, with what both say', async () => {
  const viewer = newViewer();
  send(viewer, 1);
  clock.pass(20 * second);
  const samples = samplesUntil(clock.now(), 5);
  for (const quadrant of ['top-left', 'bottom-right'])
    await report(viewer, quadrant, {
      form: 'tv',
      samples: [...samples, { ...samples[0], timestamp: instant(7_000), stall_events: 2 }],
    });
  send(viewer, 250_000);
  expect(await list()).toEqual({
    total: 1,
    viewers: [
      {
        form: 'tv',
        address: '198.51.100.0/24',
        quadrants: 2,
        bandwidth_mbps: 2,
        stall_events: 4,
        since: instant(20 * second),
      },
    ],
  });
});

test('whoever only reports, or is only sent bytes, is listed with what is known', async () => {
  await report(newViewer(), 'top-left', { samples: samplesUntil(clock.now(), 3) }, '2001:db8:1:2::3');
  send(newViewer(), 125_000, '192.0.2.7');
  const rest = { form: null, stall_events: 0 };
  expect(await list()).toEqual({
    total: 2,
    viewers: [
      { ...rest, address: '192.0.2.0/24', quadrants: 0, bandwidth_mbps: 1, since: instant() },
      { ...rest, address: '2001:db8:1::/48', quadrants: 1, bandwidth_mbps: null, since: instant(2 * second) },
    ],
  });
});

test('a viewer leaves the list a minute after the last bytes and the last sample', async () => {
  const [sent, reported] = [newViewer(), newViewer()];
  send(sent, 1);
  await report(reported, 'top-left', { samples: samplesUntil(clock.now(), 1) });
  clock.pass(60 * second);
  expect((await list()).total).toBe(2);
  clock.pass(1);
  expect((await list()).total).toBe(0);
});

test('most stalls come first, then the lowest bandwidth; all are counted, the first hundred listed', async () => {
  for (let index = 0; index < limits.activeViewersListed + 5; index += 1) send(newViewer(), 1_000 * (200 - index));
  for (const stalls of [1, 3]) {
    const samples = samplesUntil(clock.now(), 1, { stall_events: stalls });
    await report(newViewer(), 'top-left', { samples });
  }
  const { total, viewers: listed } = await list();
  expect([total, listed.length]).toEqual([limits.activeViewersListed + 7, limits.activeViewersListed]);
  expect(listed.slice(0, 3).map(({ stall_events }) => stall_events)).toEqual([3, 1, 0]);
  const bandwidths = listed.slice(2).map(({ bandwidth_mbps }) => bandwidth_mbps ?? -1);
  expect(bandwidths).toEqual([...bandwidths].sort((a, b) => a - b));
});

test('nothing of a viewer is logged, stored or told to a monitor: neither their name nor the network that they come from', async () => {
  const viewer = newViewer();
  const remoteAddress = '203.0.113.77';
  const film = await server.call('GET', '/api/video/stream?path=film.mp4', {
    headers: { cookie: `viewer=${viewer}` },
    remoteAddress,
  });
  expect([film.statusCode, film.rawPayload.length > 0]).toEqual([200, true]);
  await report(viewer, 'top-left', { form: 'tablet', samples: samplesUntil(clock.now(), 30) }, remoteAddress);
  clock.pass(20 * second);
  await server.services.playbackHealth.write();
  const { viewers: listed } = await list();
  expect(listed.map(({ form, address }) => [form, address])).toEqual([['tablet', '203.0.113.0/24']]);

  const { dataFolder } = server.services.env;
  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const stored = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('');
  const metrics = (await server.get('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })).body;
  const places = [stored, server.logged(), metrics];
  // All are read as they are: what is known to stand there is found.
  const known = ['network_stats', '/api/video/stream', '# TYPE'];
  expect(places.map((place, index) => place.includes(known[index] ?? ''))).toEqual([true, true, true]);
  for (const secret of [viewer, '203.0.113'])
    expect(places.map((place) => place.includes(secret))).toEqual([false, false, false]);
});
