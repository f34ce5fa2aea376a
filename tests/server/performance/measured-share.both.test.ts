import { expect, test } from 'vitest';
import { PlaybackHealth } from '#server/features/performance/playback-health.ts';
import { MeasuredShare } from '#server/features/site/measured-share.ts';
import { personOf, putAccount, signIn } from '#tests/support/people.ts';
import { readHealth, sampleAt, samplesUntil, sendReport, viewerCookie } from '#tests/support/performance-reports.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
const { services } = server;
const { measuredShare, playbackHealth } = services;
/** Another process on the same database. */
const other = { health: new PlaybackHealth(services), share: new MeasuredShare(services) };
const clearShare = () => services.database.write((transaction) => transaction.deleteFrom('settings').execute());

/** So many viewers play on a process for ten seconds. */
function watch(health: PlaybackHealth, viewers: number): void {
  const at = clock.now();
  for (let viewer = 0; viewer < viewers; viewer += 1)
    health.record({ viewer: `${viewer}`, address: '127.0.0.1', network: '', form: null, standsFor: 1 }, [
      { ...good, at, deviceAt: at },
    ]);
}

const good = {
  quadrant: 'top-left',
  seconds: 10,
  droppedFrames: 0,
  totalFrames: 300,
  bufferMs: 10_000,
  stalls: 0,
  qualityAdjustments: 0,
  failures: 0,
  videoId: null,
} as const;

/** Writes what was reported, and passes the time after which all processes have done so. */
async function settle(): Promise<void> {
  for (const health of [playbackHealth, other.health]) while (await health.write());
  clock.pass(60_000);
}

async function readConfig(): Promise<{ oneIn: number; revision: string }> {
  services.revisions.forget();
  const reply = await server.get('/api/config');
  return { oneIn: reply.json().measured.one_in, revision: String(reply.headers['x-revision']) };
}

test('GET /api/config tells which share of the viewers of all processes is measured, and that it has changed', async () => {
  watch(playbackHealth, 4_000);
  watch(other.health, 6_000);
  await settle();
  await measuredShare.check();
  const before = await readConfig();
  expect(before.oneIn).toBe(1);

  watch(playbackHealth, 12_000);
  watch(other.health, 13_000);
  await settle();
  await Promise.all([measuredShare.check(), other.share.check()]);
  const after = await readConfig();
  expect(after.oneIn).toBe(3);
  const [, , config] = before.revision.split('.');
  expect(after.revision.split('.')[2], 'one of the two processes changes it').toBe(String(Number(config) + 1));

  clock.pass(10 * 60_000);
  await other.share.check();
  expect((await readConfig()).oneIn, 'fewer viewers').toBe(1);
  await clearShare();
});

test('the share changes once a minute at most', async () => {
  clock.pass(10 * 60_000);
  watch(playbackHealth, 12_000);
  await settle();
  await measuredShare.check();
  expect((await readConfig()).oneIn).toBe(2);
  clock.pass(59_000);
  watch(playbackHealth, 100);
  await measuredShare.check();
  expect((await readConfig()).oneIn).toBe(2);
  clock.pass(61_000);
  await measuredShare.check();
  expect((await readConfig()).oneIn).toBe(1);
  await clearShare();
});

test('a device that was drawn stands for others, one that was not adds its stalls, and nobody for more than the site said', async () => {
  clock.pass(30 * 3_600_000);
  await putAccount(server, 'operator', 'admin');
  const { headers } = personOf(await signIn(server, 'operator'));
  const report = (viewer: number, body: object) =>
    sendReport(server, 'top-left', body, { viewer: viewerCookie(viewer), remoteAddress: `192.0.2.${viewer}` });
  const read = async () => (await readHealth(server, headers, 'top-left')).metrics;
  const own = new MeasuredShare(services);
  await measuredShare.check();

  const samples = samplesUntil(clock.now(), 3, { seconds: 1 });
  expect((await report(1, { samples, stands_for: 1_000_000 })).statusCode).toBe(202);
  expect(await read(), 'not yet').toMatchObject({ samples: 3 });

  await services.database.write((transaction) =>
    transaction
      .insertInto('settings')
      .values({ name: 'measured_one_in', value: '4', updated_at: clock.now() })
      .execute(),
  );
  await measuredShare.check();
  expect([own.weigh(4), measuredShare.weigh(4), measuredShare.weigh(5), measuredShare.weigh()]).toEqual([1, 4, 4, 1]);
  const sum = sampleAt(clock.now(), { seconds: 10, total_frames: 300, dropped_frames: 3, stall_events: 1 });
  await report(2, { samples: [sum], stands_for: 5 });
  const stall = { total_frames: 30, dropped_frames: 30, stall_events: 4, buffer_level_seconds: 0 };
  await report(3, { samples: [sampleAt(clock.now(), stall)], stands_for: 0 });

  expect(await read()).toEqual({
    averageDroppedFrameRate: (12 / (90 + 1_200)) * 100,
    averageBufferLevel: 10,
    stallEvents: 1,
    qualityAdjustments: 0,
    samples: 43,
  });
  expect((await readHealth(server, headers, 'top-left')).series.at(-1)?.viewers).toBe(5);
  const active = (await server.get('/api/admin/performance/viewers', headers)).json();
  expect([active.total, active.viewers.length]).toEqual([5, 3]);
});
