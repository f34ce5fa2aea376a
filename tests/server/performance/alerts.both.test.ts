import { beforeEach, expect, test, vi } from 'vitest';
import type { PerformanceAlert } from '#contract/entities/performance.ts';
import { performanceAlertsSchema } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import { samplesUntil, sendReport, viewerCookie } from '#tests/support/performance-reports.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const second = 1_000;
const hour = 3_600_000;
const clock = settableClock();
const env = await migratedSite(afterFile);
const server = await startServer({ env, overrides: { clock } }, afterFile);
const other = await startServer({ env, overrides: { clock } }, afterFile);
await putAccount(server, 'ada', 'admin');

/** Nothing is left of the day before. */
beforeEach(() => clock.pass(25 * hour));

let viewers = 0;

/** Somebody whose top left quadrant stalls for so many seconds. */
async function stall(seconds: number): Promise<void> {
  viewers += 1;
  const samples = samplesUntil(clock.now(), seconds, { stall_events: 1 });
  await sendReport(server, 'top-left', { samples }, { viewer: viewerCookie(viewers) });
}

async function list(): Promise<PerformanceAlert[]> {
  const { headers } = personOf(await signIn(server, 'ada'));
  const reply = await server.get('/api/admin/performance/alerts', headers);
  return performanceAlertsSchema.parse(reply.json()).alerts;
}

const idsOf = (alerts: PerformanceAlert[]) => alerts.map(({ id }) => id);
const check = () => server.services.alertWatch.check();

test('an administrator reads alerts that were raised while nobody looked', async () => {
  await stall(4);
  const raisedAt = clock.now();
  await check();
  clock.pass(23 * hour);
  expect(await list()).toEqual([
    {
      id: 'stalls:top-left',
      type: 'error',
      severity: 'high',
      title: 'Frequent stalls',
      message: '4 stall events per viewing session, above 3',
      quadrant: 'top-left',
      timestamp: new Date(raisedAt - (raisedAt % (10 * second))).toISOString(),
    },
  ]);
  clock.pass(2 * hour);
  expect(await list()).toEqual([]);
});

test('a network that is slow while it is asked for something raises one, full buffers none', async () => {
  const viewer = server.services.sentBytes.viewer({ ip: '192.0.2.7', cookies: {} });
  viewer.delivered({ bytes: 400_000, ms: 30 });
  await check();
  expect(await list()).toEqual([]);
  clock.pass(11 * second);
  viewer.delivered({ bytes: 100_000, ms: 1_000 });
  await check();
  expect((await list()).map(({ id, message }) => [id, message])).toEqual([['bandwidth', '0.8 Mbps, below 1 Mbps']]);
});

test('what goes on is one alert, whichever process finds it; what comes back is another', async () => {
  await stall(4);
  await server.services.playbackHealth.write();
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([check(), other.services.alertWatch.check()]);
    clock.pass(10 * second);
  }
  other.services.sentBytes.viewer({ ip: '192.0.2.8', cookies: {} }).delivered({ bytes: 1_000_000, ms: 10 });
  await other.services.alertWatch.check();
  expect(idsOf(await list())).toEqual(['stalls:top-left']);
  clock.pass(60 * second);
  await stall(9);
  await check();
  expect(idsOf(await list())).toEqual(['stalls:top-left', 'stalls:top-left']);
});

test('as many are listed as the dashboard shows, the newest first, and what is a day old is deleted', async () => {
  for (let round = 0; round < limits.alertsShown + 2; round += 1) {
    await stall(9);
    await check();
    clock.pass(60 * second);
  }
  const times = (await list()).map(({ timestamp }) => timestamp);
  expect([times.length, times]).toEqual([limits.alertsShown, [...times].sort().reverse()]);
  clock.pass(25 * hour);
  await stall(9);
  await check();
  const rows = await server.services.database.reader.selectFrom('performance_alerts').select('alarm').execute();
  expect(rows).toHaveLength(1);
});

test('whoever looks sees what is crossed just now', async () => {
  await stall(4);
  expect(idsOf(await list())).toEqual(['stalls:top-left']);
});

test('those that are found at once are listed in the order of the thresholds', async () => {
  const samples = samplesUntil(clock.now(), 4, { stall_events: 1, dropped_frames: 3, buffer_level_seconds: 1 });
  for (const quadrant of ['bottom-left', 'top-right']) await sendReport(server, quadrant, { samples });
  expect(idsOf(await list())).toEqual(
    ['top-right', 'bottom-left'].flatMap((quadrant) =>
      ['dropped-frames', 'buffer', 'stalls'].map((kind) => `${kind}:${quadrant}`),
    ),
  );
});

test('where nothing can be stored those of before are listed', async () => {
  await stall(4);
  await check();
  clock.pass(60 * second);
  await stall(4);
  const { database } = server.services;
  // Work in the background writes, too, and may be the first that fails.
  const failing = vi.spyOn(database, 'write').mockRejectedValue(new Error('The disk is full.'));
  expect((await server.services.alertWatch.list()).map(({ id }) => id)).toEqual(['stalls:top-left']);
  failing.mockRestore();
});

test('nobody but administrators reads them', async () => {
  const { headers } = await putPerson(server, 'bob', 'basic');
  const replies = await Promise.all([{}, headers].map((own) => server.get('/api/admin/performance/alerts', own)));
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([401, 403]);
});
