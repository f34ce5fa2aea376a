import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { timeWindows } from '#contract/rules/health.ts';
import { tiers } from '#contract/rules/tiers.ts';
import { personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import type { ReportedSample } from '#tests/support/performance-reports.ts';
import { readHealth, sampleAt, samplesUntil, sendReport, viewerCookie } from '#tests/support/performance-reports.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
await putAccount(server, 'operator', 'admin');
let headers = await signInAgain();
const { playbackHealth } = server.services;

/** The life of a token is short. */
async function signInAgain(): Promise<Record<string, string>> {
  return personOf(await signIn(server, 'operator')).headers;
}

/** Beyond every window, so that no test sees what another one reported. */
async function rest(): Promise<void> {
  clock.pass(26 * 3_600_000);
  headers = await signInAgain();
}

test('stalls, dropped frames and low buffers are there at the next question, exactly, written or not', async () => {
  const now = clock.now();
  const samples = samplesUntil(now, 30);
  samples[3] = sampleAt(now - 26_000, {
    stall_events: 2,
    dropped_frames: 12,
    total_frames: 24,
    buffer_level_seconds: 0.5,
  });
  samples[9] = sampleAt(now - 20_000, { stall_events: 1, quality_adjustments: 3 });
  const report = { sent_at: new Date(now).toISOString(), form: 'tv', samples };
  const reply = await sendReport(server, 'top-left', report, { viewer: viewerCookie(1) });
  expect([reply.statusCode, reply.json()]).toEqual([202, { accepted: 30 }]);

  const expected = {
    averageDroppedFrameRate: (12 / (29 * 30 + 24)) * 100,
    averageBufferLevel: (29 * 10 + 0.5) / 30,
    stallEvents: 3,
    qualityAdjustments: 3,
    samples: 30,
  };
  for (const turn of ['in memory', 'written', 'written twice']) {
    for (const quadrant of ['top-left', 'all'])
      expect((await readHealth(server, headers, quadrant)).metrics, turn).toEqual(expected);
    expect((await readHealth(server, headers, 'top-right')).metrics, turn).toBeNull();
    await playbackHealth.write();
  }
});

test('who is watching is known while their session goes on, and what they reported in the last minute', async () => {
  await rest();
  const now = clock.now();
  const watching = { viewer: viewerCookie(2), remoteAddress: '192.0.2.7' };
  const samples = samplesUntil(now, 20, { buffer_level_seconds: 4, dropped_frames: 3 });
  await sendReport(server, 'top-left', { form: 'phone', samples }, watching);
  await sendReport(server, 'bottom-right', { samples: [sampleAt(now, { stall_events: 2 })] }, watching);
  expect(playbackHealth.presentViewers()).toEqual([
    {
      viewer: viewerCookie(2),
      form: 'phone',
      network: '192.0.2.0/24',
      quadrants: 2,
      standsFor: 1,
      stalls: 2,
      since: now - 19_000,
      lastAt: now,
    },
  ]);
  expect(playbackHealth.lastMinute()).toEqual({
    samples: 21,
    droppedFrames: 60,
    totalFrames: 630,
    bufferSeconds: (20 * 4 + 10) / 21,
    stalls: 2,
    viewers: 1,
  });
  clock.pass(61_000);
  expect(playbackHealth.presentViewers()).toEqual([]);
  clock.pass(10_000);
  expect(playbackHealth.lastMinute()).toMatchObject({ samples: 0, bufferSeconds: null, viewers: 0 });
});

test('a report that is sent twice, late or by somebody without a cookie counts once', async () => {
  await rest();
  const now = clock.now();
  const early = { sent_at: new Date(now - 90_000).toISOString(), samples: samplesUntil(now - 90_000, 60) };
  const late = { sent_at: new Date(now).toISOString(), samples: samplesUntil(now, 30, { stall_events: 1 }) };
  for (const report of [late, { ...early, sent_at: late.sent_at }, late])
    expect((await sendReport(server, 'top-left', report)).statusCode).toBe(202);
  const { metrics, series } = await readHealth(server, headers, 'top-left');
  expect(metrics).toMatchObject({ samples: 90, stallEvents: 15 });
  expect(series.every(({ viewers }) => viewers === 1)).toBe(true);
  // 61 s without a sample are a new session; 60 s are not.
  clock.pass(60_000);
  await sendReport(server, 'top-left', { samples: [sampleAt(clock.now())] });
  expect((await readHealth(server, headers, 'top-left')).metrics?.stallEvents).toBe(15);
  clock.pass(60_001);
  await sendReport(server, 'top-left', { samples: [sampleAt(clock.now())] });
  expect((await readHealth(server, headers, 'top-left')).metrics?.stallEvents).toBe(10);
});

test('a report on all quadrants counts in each that it names, and its viewer once', async () => {
  await rest();
  const now = clock.now();
  const all: ReportedSample[] = [
    sampleAt(now, { quadrant: 'top-left', stall_events: 1 }),
    sampleAt(now, { quadrant: 'bottom-right', stall_events: 2 }),
  ];
  expect((await sendReport(server, 'all', { samples: all })).json()).toEqual({ accepted: 2 });
  const stallsOf = async (quadrant: string) => (await readHealth(server, headers, quadrant)).metrics?.stallEvents;
  expect([await stallsOf('top-left'), await stallsOf('bottom-right'), await stallsOf('all')]).toEqual([1, 2, 3]);
  const unnamed = await sendReport(server, 'all', { samples: [...all, sampleAt(now)] });
  expect([unnamed.statusCode, unnamed.json().details]).toEqual([
    400,
    [{ field: 'samples.2.quadrant', message: 'A report on all quadrants says of which each sample is' }],
  ]);
  for (const quadrant of ['middle', '<img>', 'ALL']) {
    expect((await sendReport(server, encodeURIComponent(quadrant), { samples: all })).statusCode).toBe(404);
    expect(
      (await server.get(`/api/optimization/performance/${encodeURIComponent(quadrant)}`, headers)).statusCode,
    ).toBe(404);
  }
});

test('what is too much, no number or no name is refused, and what no player reaches is clamped', async () => {
  await rest();
  const now = clock.now();
  const good = sampleAt(now);
  const send = async (body: unknown, quadrant = 'top-left') => (await sendReport(server, quadrant, body)).statusCode;
  expect(await send({ samples: Array.from({ length: 1_000_000 }, () => 0) })).toBe(413);
  expect(await send({ samples: Array.from({ length: limits.performanceSamplesPerCall + 1 }, () => good) })).toBe(400);
  const written = JSON.stringify({ samples: [good] });
  for (const value of ['NaN', '1e999', '-1', 'null', '"1"', '0.5'])
    expect(
      (
        await server.call('POST', '/api/optimization/performance/top-left', {
          headers: { 'content-type': 'application/json' },
          payload: written.replace('"stall_events":0', `"stall_events":${value}`),
        })
      ).statusCode,
    ).toBe(400);
  expect(await send({ samples: [{ ...good, dropped_frames: 31 }] })).toBe(400);
  expect(await send({ samples: [{ ...good, timestamp: 'yesterday' }] })).toBe(400);
  expect(await send({ samples: [{ ...good, quadrant: '<img>' }] }, 'all')).toBe(400);
  expect((await readHealth(server, headers, 'all')).metrics).toBeNull();
  const path = '/api/optimization/performance/top-left?duration=999d';
  expect((await server.get(path, headers)).statusCode).toBe(400);
  expect((await server.get('/api/admin/performance/videos?duration=999d', headers)).statusCode).toBe(400);

  const most = Number.MAX_SAFE_INTEGER;
  const forged = sampleAt(now, {
    total_frames: most,
    dropped_frames: most,
    buffer_level_seconds: 1e300,
    stall_events: most,
    quality_adjustments: most,
    bitrate_bps: 1e300,
    failures: most,
    video_id: '<img src=x onerror=alert(1)>',
  });
  expect(await send({ samples: [forged] })).toBe(202);
  expect((await readHealth(server, headers, 'top-left')).metrics).toEqual({
    averageDroppedFrameRate: 100,
    averageBufferLevel: 3_600,
    stallEvents: 5,
    qualityAdjustments: 5,
    samples: 1,
  });
  const troubled = await server.get('/api/admin/performance/videos?duration=1m', headers);
  expect(troubled.json()).toEqual({ videos: [] });
});

test('nothing of a report is logged', async () => {
  const logged = server.logged().length;
  await sendReport(server, 'top-left', { form: 'tv', samples: [sampleAt(clock.now(), { video_id: 'secret-video' })] });
  const line = server.logged().slice(logged);
  expect(line).toContain('/api/optimization/performance/top-left');
  expect(line).not.toMatch(/secret-video|"tv"|127\.0\.0\.1/);
});

test('a series has a point for each step in which there were samples', async () => {
  await rest();
  const quarter = 15 * 60_000;
  // Just before a quarter of an hour, so that every step has seen the same minute.
  clock.pass(quarter - (clock.now() % quarter) - 1_000);
  const now = clock.now();
  await sendReport(server, 'top-left', { samples: samplesUntil(now, 60, { dropped_frames: 3 }) });
  await playbackHealth.write();
  const lengths = { '1m': 6, '5m': 6, '15m': 6, '1h': 1, '6h': 1, '24h': 1 };
  for (const duration of timeWindows) {
    const { series, metrics } = await playbackHealth.read('top-left', duration);
    expect([duration, series.length, metrics?.samples]).toEqual([duration, lengths[duration], 60]);
    expect(series.at(-1)).toMatchObject({ droppedFrameRate: 10, bufferLevel: 10, stallEvents: 0, viewers: 1 });
  }
  const instants = async (duration: (typeof timeWindows)[number]) =>
    (await playbackHealth.read('top-left', duration)).series.map(
      ({ timestamp }) => now + 1_000 - Date.parse(timestamp),
    );
  expect(await instants('1m')).toEqual([60_000, 50_000, 40_000, 30_000, 20_000, 10_000]);
  expect([await instants('1h'), await instants('6h'), await instants('24h')]).toEqual([[60_000], [300_000], [900_000]]);
});

describe('administrators alone', () => {
  const paths = timeWindows.flatMap((duration) => [
    ...['all', 'top-left'].map((quadrant) => `/api/optimization/performance/${quadrant}?duration=${duration}`),
    `/api/admin/performance/videos?duration=${duration}`,
  ]);

  test.each(['nobody', ...tiers] as const)('read how videos play, whatever the window: %s', async (role) => {
    const credentials = role === 'nobody' ? {} : (await putPerson(server, `reader-${role}`, role)).headers;
    const expected = role === 'admin' ? 200 : role === 'nobody' ? 401 : 403;
    for (const path of paths)
      expect([path, (await server.get(path, credentials)).statusCode]).toEqual([path, expected]);
  });
});
