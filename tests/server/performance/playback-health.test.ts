import { afterAll, expect, test } from 'vitest';
import { putPerson } from '#tests/support/people.ts';
import { readHealth, sampleAt, samplesUntil, sendReport, viewerCookie } from '#tests/support/performance-reports.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterAll);
const { headers } = await putPerson(server, 'operator', 'admin');
const { playbackHealth } = server.services;

/** Beyond every window of ten-second slots, so that no test sees what another one reported. */
const rest = () => clock.pass(16 * 60_000);

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
  rest();
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
