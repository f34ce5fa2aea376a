import { expect, test } from 'vitest';
import { Recorder } from '#server/features/performance/playback-health.ts';
import type { Sample } from '#server/features/performance/samples.ts';
import { viewerLimits } from '#server/features/performance/viewers.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const oneSecond = {
  quadrant: 'top-left',
  seconds: 1,
  droppedFrames: 0,
  totalFrames: 30,
  bufferMs: 10_000,
  stalls: 0,
  qualityAdjustments: 0,
  failures: 0,
  videoId: null,
} as const;

function openRecorder() {
  const clock = settableClock();
  const recorder = new Recorder({ clock, nameNode: () => 'node' });
  const report = (viewer: string, address = '192.0.2.1', facts: Partial<Sample> = {}) =>
    recorder.record({ viewer, address, network: address, form: null, standsFor: 1 }, [
      { ...oneSecond, at: clock.now(), deviceAt: clock.now(), ...facts },
    ]);
  return { clock, recorder, report };
}

test('samples that tell of stalls are told of once, and calm ones not at all', () => {
  const { report } = openRecorder();
  expect([report('a'), report('a', '192.0.2.1', { stalls: 2, deviceAt: 5 })]).toEqual([false, true]);
  expect(report('a', '192.0.2.1', { stalls: 2, deviceAt: 5 })).toBe(false);
});

test('an address that makes up viewers is remembered with some of them, and the process with a bounded number', () => {
  const { recorder, report } = openRecorder();
  for (let viewer = 0; viewer < 2 * viewerLimits.perAddress; viewer += 1) report(`first-${viewer}`);
  expect(recorder.viewerCount).toBe(viewerLimits.perAddress);
  for (let viewer = 0; viewer < 700; viewer += 1) report(`behind-a-proxy-${viewer}`, '127.0.0.1');
  expect(recorder.viewerCount).toBe(viewerLimits.perAddress + 700);
  for (let viewer = 0; viewer < viewerLimits.total; viewer += 1) report(`${viewer}`, `2001:db8::${viewer % 100}`);
  expect(recorder.viewerCount).toBe(viewerLimits.total);
  const [slot] = recorder.playback.sizes[60].between(0, Number.MAX_SAFE_INTEGER);
  expect(slot?.content.all).toMatchObject({ samples: viewerLimits.total, newSessions: viewerLimits.total });
});

test('ten thousand viewers that somebody makes up within a /56 leave room for real ones, and for nobody else of theirs', () => {
  const clock = settableClock();
  const recorder = new Recorder({ clock, nameNode: () => 'node', hasBytes: (viewer) => viewer.startsWith('real') });
  const report = (viewer: string, address: string, network: string) =>
    recorder.record({ viewer, address, network, form: null, standsFor: 1 }, [
      { ...oneSecond, at: clock.now(), deviceAt: clock.now() },
    ]);
  const present = () => new Set(recorder.presentViewers().map(({ viewer }) => viewer));
  for (let made = 0; made < viewerLimits.total; made += 1)
    report(`forged-${made}`, `2001:db8:0:${made % 250}::/64`, '2001:db8:0::/48');
  expect(recorder.viewerCount).toBe(viewerLimits.perNetwork);
  report('real neighbour', '2001:db8:0:1::/64', '2001:db8:0::/48');
  report('somebody else', '192.0.2.1', '192.0.2.0/24');
  expect([present().has('real neighbour'), present().has('somebody else')]).toEqual([true, true]);
  // From many networks: those who were sent something displace those who were not, and nobody displaces them.
  for (let made = 0; made < viewerLimits.total; made += 1)
    report(`far-${made}`, `net ${made >> 8}`, `net ${made >> 8}`);
  expect(recorder.viewerCount).toBe(viewerLimits.total);
  report('real newcomer', '198.51.100.1', '198.51.100.0/24');
  expect([present().has('real newcomer'), present().has('real neighbour')]).toEqual([true, true]);
  expect(recorder.viewerCount).toBeLessThanOrEqual(viewerLimits.total);
});

test('who has gone is forgotten once nothing late can come, which makes room', () => {
  const { clock, recorder, report } = openRecorder();
  for (let viewer = 0; viewer < viewerLimits.perAddress; viewer += 1) report(`${viewer}`);
  clock.pass(5 * 60_000);
  report('0');
  clock.pass(60_001);
  recorder.forgetViewers();
  expect(recorder.viewerCount).toBe(1);
  report('newcomer');
  expect(recorder.viewerCount).toBe(2);
  clock.pass(6 * 60_000 + 1);
  recorder.forgetViewers();
  expect(recorder.viewerCount).toBe(0);
});

test('a late sample counts in the session that it belongs to', () => {
  const { clock, recorder, report } = openRecorder();
  const at = clock.now();
  report('a');
  clock.pass(3 * 60_000);
  report('a');
  report('a', '192.0.2.1', { at, deviceAt: at + 1_000, stalls: 4, quadrant: 'top-right' });
  report('a', '192.0.2.1', { stalls: 1, quadrant: 'top-right' });
  expect(recorder.presentViewers()).toMatchObject([{ stalls: 1, quadrants: 2, since: clock.now() }]);
  // It joins both: the session began with the first.
  report('a', '192.0.2.1', { at: at + 60_000, deviceAt: at + 60_000 });
  report('a', '192.0.2.1', { at: at + 120_000, deviceAt: at + 120_000 });
  expect(recorder.presentViewers()).toMatchObject([{ stalls: 5, quadrants: 2, since: at, lastAt: clock.now() }]);
});
