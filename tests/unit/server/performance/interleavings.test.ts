import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { Recorder } from '#server/features/performance/playback-health.ts';
import type { PlaybackSums, QuadrantOrAll } from '#server/features/performance/playback-slots.ts';
import { addSums, noSums, quadrantsAndAll } from '#server/features/performance/playback-slots.ts';
import type { Sample } from '#server/features/performance/samples.ts';

const now = Date.UTC(2027, 0, 15, 12, 0, 7);
const clock = { now: () => now, elapsed: () => 0 };
const gapMs = 60_000;

interface Second {
  viewer: number;
  quadrant: Quadrant;
  ago: number;
  stalls: number;
  droppedFrames: number;
}

/** Of three viewers and two quadrants, so that sessions of one are often joined and parted. */
const second = fc.record({
  viewer: fc.nat(2),
  quadrant: fc.constantFrom(...quadrants.slice(0, 2)),
  ago: fc.nat(300),
  stalls: fc.nat(2),
  droppedFrames: fc.nat(30),
});
const nameOf = ({ viewer, quadrant, ago }: Second) => `${viewer} ${quadrant} ${ago}`;
const seconds = fc.uniqueArray(second, { selector: nameOf, minLength: 1, maxLength: 60 });

/** Batches of one viewer, in any order, some of them twice. */
const deliveries = seconds.chain((all) =>
  fc.record({
    all: fc.constant(all),
    batches: fc.array(fc.record({ at: fc.nat(all.length - 1), length: fc.integer({ min: 1, max: 8 }) })),
    order: fc.shuffledSubarray([...all.keys()], { minLength: all.length, maxLength: all.length }),
    processOf: fc.tuple(fc.nat(1), fc.nat(1), fc.nat(1)),
  }),
);

const toSample = ({ quadrant, ago, stalls, droppedFrames }: Second): Sample => ({
  quadrant,
  at: now - ago * 1_000,
  deviceAt: now - ago * 1_000,
  stalls,
  droppedFrames,
  seconds: 1,
  totalFrames: 30,
  bufferMs: 1_000,
  qualityAdjustments: 0,
  failures: 0,
  videoId: null,
});

const open = () => new Recorder({ clock, nameNode: () => 'node' });
const record = (recorder: Recorder, viewer: number, samples: Second[]) =>
  recorder.record(
    { viewer: `${viewer}`, address: `${viewer}`, network: `${viewer}`, form: null, standsFor: 1 },
    samples.map(toSample),
  );

type Sums = Record<string, PlaybackSums>;

/** By length of slot, its start and quadrant; those without anything are left out. */
function sumsOf(recorders: readonly Recorder[]): Sums {
  const sums: Sums = {};
  for (const { playback } of recorders)
    for (const size of Object.values(playback.sizes))
      for (const { startsAt, content } of size.between(0, now))
        for (const quadrant of quadrantsAndAll) {
          const key = `${size.slotSeconds} ${startsAt} ${quadrant}`;
          sums[key] ??= noSums();
          addSums(sums[key], content[quadrant]);
        }
  return Object.fromEntries(
    Object.entries(sums).filter(([, slot]) => Object.values(slot).some((value) => value !== 0)),
  );
}

/** From the first to the last second of each session, computed from all seconds at once. */
function sessionsOf(all: readonly Second[], quadrant: QuadrantOrAll): [from: number, until: number][] {
  return [0, 1, 2].flatMap((viewer) => {
    const instants = all
      .filter((one) => one.viewer === viewer && (quadrant === 'all' || one.quadrant === quadrant))
      .map(({ ago }) => now - ago * 1_000)
      .sort((a, b) => a - b);
    const sessions: [number, number][] = [];
    for (const at of instants) {
      const last = sessions.at(-1);
      if (last !== undefined && at - last[1] <= gapMs) last[1] = at;
      else sessions.push([at, at]);
    }
    return sessions;
  });
}

test('batches that are late, doubled and out of order give the same sums as one list, over two processes', () => {
  fc.assert(
    fc.property(deliveries, ({ all, batches, order, processOf }) => {
      const one = open();
      for (const viewer of [0, 1, 2])
        record(
          one,
          viewer,
          all.filter((each) => each.viewer === viewer),
        );
      const two = [open(), open()];
      const deliver = (batch: Second[]) => {
        for (const viewer of [0, 1, 2]) {
          const own = batch.filter((each) => each.viewer === viewer);
          record(two[processOf[viewer] ?? 0] as Recorder, viewer, own);
        }
      };
      const shuffled = order.map((index) => all[index] as Second);
      for (const { at, length } of batches) deliver(shuffled.slice(at, at + length));
      for (const each of shuffled) deliver([each]);
      expect(sumsOf(two)).toEqual(sumsOf([one]));
    }),
    { numRuns: 200 },
  );
});

test('in any window, sessions of its first slot and those that began later are all that were on in it', () => {
  fc.assert(
    fc.property(seconds, fc.nat(400), fc.nat(400), fc.constantFrom(...quadrantsAndAll), (all, a, b, quadrant) => {
      const recorder = open();
      for (const each of all) record(recorder, each.viewer, [each]);
      for (const size of Object.values(recorder.playback.sizes)) {
        const [from, until] = [size.slotOf(now - Math.max(a, b) * 1_000), size.slotOf(now - Math.min(a, b) * 1_000)];
        const counted = size
          .between(from, until)
          .map(({ startsAt, content }) => content[quadrant][startsAt === from ? 'sessions' : 'newSessions']);
        const end = until + size.slotMs;
        const expected = sessionsOf(all, quadrant).filter(([first, last]) => first < end && last >= from);
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(expected.length);
      }
    }),
    { numRuns: 300 },
  );
});
