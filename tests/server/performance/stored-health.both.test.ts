import { expect, test, vi } from 'vitest';
import type { Quadrant } from '#contract/quadrants.ts';
import { readEnv } from '#server/env.ts';
import { PlaybackHealth } from '#server/features/performance/playback-health.ts';
import type { Sample } from '#server/features/performance/samples.ts';
import { createLog } from '#server/log.ts';
import { createServices } from '#server/services/services.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
const { database, idSets } = server.services;

/** A process of its own on the same database. */
const openProcess = () => new PlaybackHealth(server.services);

/** Beyond every window, so that no test sees what another one stored; to the middle of a minute. */
const rest = () => clock.pass(30 * 3_600_000 + 90_000 - (clock.now() % 60_000));

interface Report extends Partial<Omit<Sample, 'seconds'>> {
  viewer?: string;
  seconds?: number;
  standsFor?: number;
}

/** Samples of so many seconds, the last one of now. */
function report(
  health: PlaybackHealth,
  { viewer = 'viewer', seconds = 1, standsFor = 1, ...facts }: Report = {},
): void {
  const samples = Array.from({ length: seconds }, (_, index) => {
    const at = clock.now() - (seconds - 1 - index) * 1_000;
    return { ...good, at, deviceAt: at, ...facts };
  });
  health.record({ viewer, address: '192.0.2.1', network: '192.0.2.0/24', form: null, standsFor }, samples);
}

const good = {
  seconds: 1,
  quadrant: 'top-left' as Quadrant,
  droppedFrames: 0,
  totalFrames: 30,
  bufferMs: 10_000,
  stalls: 0,
  qualityAdjustments: 0,
  failures: 0,
  videoId: null,
};

const writeAll = async (health: PlaybackHealth) => {
  while (await health.write());
};
const countRows = async (table: 'playback_stats' | 'video_stats') =>
  (await database.reader.selectFrom(table).select('node').execute()).length;

/** Every statement to the database fails until the end of the work. */
async function whileAway(work: () => Promise<void>): Promise<void> {
  const stop = watchStatements(() => {
    throw new Error('the database is away');
  });
  await work().finally(stop);
}

test('two processes on one database add up, and each knows what the other has written', async () => {
  rest();
  const [one, two] = [openProcess(), openProcess()];
  report(one, { viewer: 'a', seconds: 20, stalls: 1 });
  report(two, { viewer: 'b', seconds: 10, stalls: 1 });
  report(two, { viewer: 'c', seconds: 30, quadrant: 'top-right' });
  await one.write();
  expect((await two.read('top-left', '5m')).metrics).toMatchObject({ samples: 30, stallEvents: 15 });
  expect((await one.read('top-left', '5m')).metrics).toMatchObject({ samples: 20, stallEvents: 20 });
  await two.write();
  for (const health of [one, two, openProcess()]) {
    expect((await health.read('all', '24h')).metrics).toMatchObject({ samples: 60, stallEvents: 10 });
    expect((await health.read('all', '1m')).series.at(-1)).toMatchObject({ viewers: 3 });
  }
});

test('what comes late is added to what was written, also where it joins two sessions', async () => {
  rest();
  const health = openProcess();
  report(health, { seconds: 10 });
  clock.pass(110_000);
  report(health, { seconds: 10, stalls: 1 });
  await health.write();
  expect((await openProcess().read('top-left', '5m')).metrics).toMatchObject({ samples: 20, stallEvents: 5 });
  const between = clock.now() - 60_000;
  report(health, { at: between, deviceAt: between });
  for (const written of [false, true]) {
    if (written) await health.write();
    for (const duration of ['5m', '1h'] as const)
      expect((await health.read('top-left', duration)).metrics).toMatchObject({ samples: 21, stallEvents: 10 });
  }
  expect((await openProcess().read('top-left', '1h')).metrics).toMatchObject({ samples: 21, stallEvents: 10 });
});

test('a gentle stop writes what is left, and the next start has it', async () => {
  rest();
  const before = openProcess();
  report(before, { seconds: 30, stalls: 1 });
  await before.stop();
  const after = openProcess();
  expect((await after.read('top-left', '5m')).metrics).toMatchObject({ samples: 30, stallEvents: 30 });
  clock.pass(1_000);
  report(after);
  expect((await after.read('top-left', '5m')).metrics).toMatchObject({ samples: 31 });
});

test('a server that is stopped has written what it counted', async () => {
  const place = await migratedSite();
  const variables = { PATH: process.env.PATH, LIBRARY_DIRS: temporaryFolder(), ...place };
  const stopped = await createServices(readEnv(variables), createLog('silent'), '1.2.3', { clock });
  report(stopped.playbackHealth, { seconds: 30 });
  await stopped.close();
  const { services } = await startServer({ env: place, overrides: { clock } });
  expect((await services.playbackHealth.read('top-left', '5m')).metrics).toMatchObject({ samples: 30 });
});

test('while the database is away everything is counted, and written once it is back', async () => {
  rest();
  const health = openProcess();
  await whileAway(async () => {
    for (let minute = 0; minute < 40; minute += 1) {
      report(health, { seconds: 30, stalls: 1 });
      await expect(health.write()).rejects.toThrow('the database is away');
      clock.pass(60_000);
    }
  });
  await whileAway(() => health.stop());
  expect(server.logged()).toContain('how videos played last could not be written');
  const expected = { samples: 40 * 30, stallEvents: 40 * 30 };
  expect((await health.read('top-left', '1h')).metrics).toMatchObject(expected);
  await writeAll(health);
  for (const each of [health, openProcess()])
    expect((await each.read('top-left', '1h')).metrics).toMatchObject(expected);
});

test('a write whose answer was lost counts once', async () => {
  rest();
  const health = openProcess();
  report(health, { seconds: 20 });
  const { write } = database;
  const lost = vi.spyOn(database, 'write').mockImplementation(async (work) => {
    await write(work);
    throw new Error('the connection was lost');
  });
  await expect(health.write()).rejects.toThrow('the connection was lost');
  lost.mockRestore();
  report(health, { viewer: 'another', seconds: 20 });
  await health.write();
  for (const each of [health, openProcess()])
    expect((await each.read('top-left', '5m')).metrics).toMatchObject({ samples: 40 });
});

test('a failing database is said once, and nothing ends', async () => {
  rest();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const health = openProcess();
    health.start();
    report(health, { seconds: 5 });
    await whileAway(async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        const failed = vi.spyOn(health, 'write');
        vi.advanceTimersByTime(10_000);
        await Promise.allSettled(failed.mock.results.map(({ value }) => value));
        failed.mockRestore();
      }
    });
    expect(server.logged().match(/how videos play cannot be written/g)).toHaveLength(1);
    await health.stop();
    expect((await openProcess().read('top-left', '5m')).metrics).toMatchObject({ samples: 5 });
  } finally {
    vi.useRealTimers();
  }
});

test('rows go when no window has them any more, a piece at a time', async () => {
  rest();
  const health = openProcess();
  while ((await countRows('playback_stats')) > 0) await health.write();
  for (let minute = 0; minute < 30; minute += 1) {
    report(health, { seconds: 60, videoId: `video-${minute}` });
    await health.write();
    clock.pass(60_000);
  }
  const slots = async (table: 'playback_stats' | 'video_stats', slotSeconds: number) => {
    const rows = await database.reader
      .selectFrom(table)
      .select('starts_at')
      .distinct()
      .where('slot_seconds', '=', slotSeconds)
      .execute();
    return rows.length;
  };
  // Twenty minutes of ten-second slots, and what was not yet deleted of the oldest.
  expect(await slots('playback_stats', 10)).toBeLessThanOrEqual(20 * 6 + 20);
  expect([await slots('playback_stats', 60), await slots('video_stats', 60)]).toEqual([31, 31]);
  expect((await health.read('top-left', '1h')).metrics?.samples).toBe(30 * 60);
  rest();
  for (let turn = 0; turn < 10; turn += 1) await health.write();
  expect([await countRows('playback_stats'), await countRows('video_stats')]).toEqual([0, 0]);
});

test('old rows of several processes become one row for each slot, and nobody sees a difference', async () => {
  rest();
  const processes = [openProcess(), openProcess(), openProcess()];
  while ((await countRows('playback_stats')) > 0) await processes[0]?.write();
  await idSets.write((transaction, changes) =>
    storeVideos(transaction, changes, 1, { id: 'long', path: 'long', filename: 'long.mp4' }),
  );
  // Ten hours, in which each process has a viewer for ten seconds of each quarter.
  for (let quarter = 0; quarter < 40; quarter += 1) {
    for (const [at, health] of processes.entries())
      report(health, { viewer: `viewer-${at}`, seconds: 10, stalls: 1, videoId: 'long' });
    // All of them sum the same rows at once.
    await Promise.all(processes.map((health) => health.write()));
    clock.pass(15 * 60_000);
  }
  for (const health of [...processes, openProcess()]) {
    const { metrics, series } = await health.read('all', '24h');
    expect(metrics).toMatchObject({ samples: 1_200, stallEvents: 10 });
    expect(series.map(({ viewers, stallEvents }) => [viewers, stallEvents])).toEqual(Array(40).fill([3, 10]));
    const { videos } = await health.listTroubledVideos('24h');
    expect(videos).toMatchObject([{ id: 'long', stall_events: 1_200, minutes: 20 }]);
  }
  const old = { playback_stats: 60, video_stats: 3_600 } as const;
  for (const table of ['playback_stats', 'video_stats'] as const) {
    const rows = await database.reader
      .selectFrom(table)
      .select('node')
      .where('slot_seconds', '=', old[table])
      .where('starts_at', '<', clock.now() - 4 * 3_600_000)
      .execute();
    expect([...new Set(rows.map(({ node }) => node))]).toEqual(['']);
  }
  rest();
});

test('a clock that is set back takes nothing from what was written', async () => {
  rest();
  const health = openProcess();
  const start = clock.now();
  report(health, { seconds: 60 });
  await health.write();
  clock.pass(10 * 60_000);
  report(health, { seconds: 10 });
  await health.write();
  clock.jump(start - clock.now());
  report(health, { viewer: 'another', seconds: 60 });
  for (const written of [false, true]) {
    if (written) await health.write();
    expect((await health.read('top-left', '15m')).metrics).toMatchObject({ samples: 120 });
  }
  expect((await openProcess().read('top-left', '15m')).metrics).toMatchObject({ samples: 120 });
});

test('troubled videos are listed worst first, over processes, and by name only where there is one', async () => {
  rest();
  await idSets.write(async (transaction, changes) => {
    for (const id of ['fine', 'stalls', 'breaks', 'both'])
      await storeVideos(transaction, changes, 1, { id, path: id, filename: `${id}.mp4` });
  });
  const [one, two] = [openProcess(), openProcess()];
  report(one, { viewer: 'a', seconds: 60, videoId: 'fine' });
  report(one, { viewer: 'b', seconds: 3, videoId: 'stalls', stalls: 3 });
  report(two, { viewer: 'c', seconds: 1, videoId: 'breaks', failures: 1, totalFrames: 0 });
  report(one, { viewer: 'd', seconds: 60, videoId: 'both' });
  report(two, { viewer: 'e', seconds: 30, videoId: 'both', stalls: 1 });
  report(one, { viewer: 'f', seconds: 5, videoId: 'made-up', failures: 1 });
  await two.write();
  const expected = [
    { id: 'both', filename: 'both.mp4', stall_events: 30, failures: 0, minutes: 1.5 },
    { id: 'breaks', filename: 'breaks.mp4', stall_events: 0, failures: 1, minutes: 0 },
    { id: 'stalls', filename: 'stalls.mp4', stall_events: 9, failures: 0, minutes: 0.05 },
  ];
  for (const written of [false, true]) {
    if (written) await one.write();
    for (const duration of ['1m', '1h', '24h'] as const)
      expect((await one.listTroubledVideos(duration)).videos).toEqual(expected);
  }
  expect((await openProcess().listTroubledVideos('6h')).videos).toEqual(expected);
});

test('of very many troubled videos the worst are stored, as many as a slot may have, and twenty are listed', async () => {
  rest();
  await idSets.write((transaction, changes) => storeVideos(transaction, changes, 260));
  const health = openProcess();
  const name = (index: number) => `id-stored-fine-${index}.mp4`;
  const reportFrom = (index: number, stalls: number) =>
    report(health, { viewer: `viewer-${index}`, videoId: name(index), stalls });
  for (let index = 0; index < 210; index += 1) reportFrom(index, 1);
  await health.write();
  const ofSlot = async () => {
    const rows = await database.reader
      .selectFrom('video_stats')
      .select('video_id')
      .where('slot_seconds', '=', 60)
      .where('starts_at', '>', clock.now() - 120_000)
      .execute();
    return rows.map(({ video_id }) => video_id);
  };
  expect(await ofSlot()).toHaveLength(200);
  // Worse ones come later, and take the places of others.
  for (let index = 210; index < 260; index += 1) reportFrom(index, 5);
  await health.write();
  const stored = await ofSlot();
  expect(stored).toHaveLength(200);
  for (let index = 210; index < 260; index += 1) expect(stored).toContain(name(index));
  for (const each of [health, openProcess()]) {
    const { videos } = await each.listTroubledVideos('5m');
    expect([videos.length, videos.every(({ stall_events }) => stall_events === 5)]).toEqual([20, true]);
  }
});
