import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Recorder } from '#server/features/performance/playback-health.ts';
import { viewerLimits } from '#server/features/performance/viewers.ts';
import { nextOneIn } from '#server/features/site/measured-share.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

test.each([
  [0, 1, 1],
  [10_000, 1, 1],
  [10_001, 1, 2],
  [100_000, 1, 10],
  [1_000_000, 10, 100],
  // Fewer by less than a tenth change nothing.
  [95_000, 10, 10],
  [80_000, 10, 9],
  [9_500, 2, 2],
  [9_000, 2, 1],
  [1e12, 1, 1_000],
])('with %i viewers, of whom one in %i was measured, one in %i is', (viewers, before, after) => {
  expect(nextOneIn(viewers, before)).toBe(after);
});

test('whatever the number of viewers, no more than ten thousand are measured, and the share is at rest at once', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.integer({ min: 1, max: 1_000 }), (viewers, before) => {
      const oneIn = nextOneIn(viewers, before);
      expect(viewers / oneIn).toBeLessThanOrEqual(10_000);
      expect(nextOneIn(viewers, oneIn)).toBe(oneIn);
      if (oneIn > before) expect(viewers / oneIn).toBeGreaterThan(5_000);
    }),
  );
});

const second = {
  quadrant: 'top-left',
  seconds: 10,
  droppedFrames: 10,
  totalFrames: 300,
  bufferMs: 10_000,
  stalls: 0,
  qualityAdjustments: 0,
  failures: 0,
  videoId: 'video',
} as const;

/** A site with one process, and devices whose draws lie evenly between 0 and 1. */
function openSite(devices: number) {
  const clock = settableClock();
  // To the middle of a minute: all seconds lie in one slot.
  clock.pass(90_000 - (clock.now() % 60_000));
  const played = { ms: 0 };
  const recorder = new Recorder({
    clock,
    nameNode: () => 'node',
    onPlayed: (_, ms) => {
      played.ms += ms;
    },
  });
  const draws = Array.from({ length: devices }, (_, device) => (device * 0.618_033_988_749_895) % 1);
  /** Each device reports under the share that it knows; `stalls` are those of every device. */
  const report = (oneInOf: (device: number) => number, stalls = 0) => {
    for (const [device, draw] of draws.entries()) {
      const standsFor = draw * oneInOf(device) < 1 ? oneInOf(device) : 0;
      if (standsFor === 0 && stalls === 0) continue;
      const facts = standsFor === 0 ? { seconds: 1, totalFrames: 25, droppedFrames: 25 } : {};
      recorder.record({ viewer: `${device}`, address: '127.0.0.1', network: '', form: null, standsFor }, [
        { ...second, ...facts, stalls, at: clock.now(), deviceAt: clock.now() },
      ]);
    }
  };
  const sums = () => recorder.playback.sizes[60].between(0, clock.now())[0]?.content.all;
  return { clock, recorder, report, sums, played };
}

test('devices that know different shares are together estimated as they are, and their stalls are counted', () => {
  const devices = 12_000;
  const { recorder, report, sums, played } = openSite(devices);
  // Half of the devices have not read the newer share yet.
  report((device) => (device % 2 === 0 ? 4 : 6), 1);
  const near = (value: number | undefined, expected: number) =>
    expect(Math.abs((value ?? 0) / expected - 1)).toBeLessThan(0.02);
  near(recorder.countPresentViewers(), devices);
  const { sessions, newSessions, samples, totalFrames, droppedFrames, bufferMs, stalls } = sums() ?? {};
  near(sessions, devices);
  near(newSessions, devices);
  near(samples, devices * 10);
  near(totalFrames, devices * 300);
  near(bufferMs, devices * 100_000);
  near(played.ms, devices * 10_000);
  expect((droppedFrames ?? 0) / (totalFrames ?? 0), 'seconds with stalls alone do not spoil it').toBe(1 / 30);
  expect(stalls).toBe(devices);
});

test('five times more viewers than a process has room for are counted within minutes', () => {
  const devices = 5 * viewerLimits.total;
  const { clock, recorder, report } = openSite(devices);
  let oneIn = 1;
  for (let minutes = 0; minutes < 8; minutes += 1) {
    report(() => oneIn);
    oneIn = nextOneIn(recorder.countPresentViewers(), oneIn);
    clock.pass(70_000);
    recorder.forgetViewers();
  }
  report(() => oneIn);
  expect([10, 11]).toContain(oneIn);
  expect(Math.abs(recorder.countPresentViewers() / devices - 1)).toBeLessThan(0.02);
  expect(recorder.viewerCount).toBeLessThanOrEqual(viewerLimits.total);
});
