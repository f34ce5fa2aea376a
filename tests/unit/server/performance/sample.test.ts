import { expect, test } from 'vitest';
import { performanceReportSchema } from '#contract/entities/performance.ts';
import { readSamples, sampleLimits } from '#server/features/performance/samples.ts';
import type { ReportedSample } from '#tests/support/performance-reports.ts';
import { sampleAt } from '#tests/support/performance-reports.ts';

const now = Date.UTC(2027, 0, 15, 12);
const minute = 60_000;

interface Sending {
  sentAt?: number;
  quadrant?: 'top-left' | 'all';
}

function read(samples: ReportedSample[], { sentAt, quadrant = 'top-left' }: Sending = {}) {
  const sent_at = sentAt === undefined ? undefined : new Date(sentAt).toISOString();
  return readSamples(performanceReportSchema.parse({ sent_at, samples }), quadrant, now);
}

test.each([
  ['right', 0],
  ['ten years slow', -10 * 365 * 24 * 60 * minute],
  ['a day fast', 24 * 60 * minute],
])('samples of a device whose clock is %s are as old as it says', (_, wrongMs) => {
  const deviceNow = now + wrongMs;
  const samples = [sampleAt(deviceNow - 40_000), sampleAt(deviceNow - 1_000)];
  expect(read(samples, { sentAt: deviceNow }).map(({ at }) => at)).toEqual([now - 40_000, now - 1_000]);
  // Without the time of sending, the newest is of now.
  expect(read(samples).map(({ at }) => at)).toEqual([now - 39_000, now]);
});

test('what is too old is not taken, and what a device believes to come is of now', () => {
  const samples = [now - 5 * minute - 1, now - 5 * minute, now + minute].map((at) => sampleAt(at));
  expect(read(samples, { sentAt: now }).map(({ at }) => at)).toEqual([now - 5 * minute, now]);
});

test('counts beyond what a player reaches are clamped, and keep their share of dropped frames', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const [sample] = read([
    sampleAt(now, {
      total_frames: most,
      dropped_frames: (most - 1) / 2,
      buffer_level_seconds: 1e300,
      stall_events: most,
      quality_adjustments: most,
      failures: most,
      bitrate_bps: 1e300,
    }),
  ]);
  expect(sample).toMatchObject({
    totalFrames: sampleLimits.frames,
    droppedFrames: sampleLimits.frames / 2,
    bufferMs: sampleLimits.bufferMs,
    stalls: sampleLimits.stalls,
    qualityAdjustments: sampleLimits.qualityAdjustments,
    failures: sampleLimits.failures,
  });
});

test.each(['<img src=x>', 'a\u0000b', '\ud800', 'a b'])('a video called %j is no video', (video_id) => {
  expect(read([sampleAt(now, { video_id })])[0]?.videoId).toBeNull();
});

test('a report on all quadrants names that of each sample; one on a quadrant is on that alone', () => {
  const samples = [sampleAt(now, { quadrant: 'top-right' }), sampleAt(now)];
  expect(() => read(samples, { quadrant: 'all' })).toThrow('A report on all quadrants says of which each sample is');
  expect(read(samples.slice(0, 1), { quadrant: 'all' })[0]?.quadrant).toBe('top-right');
  expect(read(samples).map(({ quadrant }) => quadrant)).toEqual(['top-left', 'top-left']);
});
