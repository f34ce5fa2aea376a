import { Seen } from '#server/id-sets/draw-unseen.ts';
import type { Picker } from '#server/id-sets/picker.ts';
import type { TagSelection } from '#server/id-sets/tag-selection.ts';
import { secureRandomBelow } from '#server/ids.ts';
import { median, quantile } from './samples.ts';
import type { Amount } from './table.ts';

const shares = [0, 0.5, 0.9, 0.999];
const picksOfShare = 5_000;
const computations = 20;

/** What picks within rounds take at one size of the library. */
export interface RoundTimes {
  /** Microseconds of cached picks. */
  pick: number[];
  /** Milliseconds of the one pick in a round that computes what is left. */
  first: number[];
}

/** Picks within rounds that have seen nothing, half, and nearly all of what matches. */
export function measureRounds(picker: Picker, filters: readonly TagSelection[], exclude: number): RoundTimes {
  const times: RoundTimes = { pick: [], first: [] };
  for (const filter of filters) {
    const excluded = Array.from({ length: exclude }, () => picker.pick(filter, { exclude: [] })?.number ?? 0);
    for (const share of shares) {
      const numbers = picker.use(filter, (all) => all.toUint32Array()).filter(() => Math.random() < share);
      const seen = new Seen();
      const pick = () => void picker.pick(filter, { exclude: excluded, seen });
      for (let round = 0; round < computations; round += 1) {
        seen.markAll(numbers);
        const begun = performance.now();
        pick();
        if (share > 0.5) times.first.push(performance.now() - begun);
      }
      for (let round = 0; round < picksOfShare; round += 1) {
        const begun = performance.now();
        pick();
        times.pick.push((performance.now() - begun) * 1_000);
        // Each pick is shown, so that what is left shrinks.
        if (round % 50 === 0) seen.mark(numbers[secureRandomBelow(Math.max(1, numbers.length))] ?? 1);
      }
      seen.dispose();
    }
  }
  return times;
}

/** @param bySize times from the smallest to the largest library */
export function roundRows(bySize: readonly { name: string; times: RoundTimes }[]): Amount[] {
  const [smallest, largest] = [bySize[0], bySize.at(-1)];
  const rows = bySize.flatMap(({ name, times: { pick, first } }): Amount[] => {
    const isLarge = name === largest?.name;
    return [
      { what: `pick in a round at ${name}, p50`, value: median(pick), unit: 'µs', goal: 8, floor: 50 },
      { what: `pick in a round at ${name}, p99`, value: quantile(pick, 0.99), unit: 'µs', goal: 60, floor: 500 },
      {
        what: `pick that computes what is left at ${name}`,
        value: median(first),
        unit: 'ms',
        goal: isLarge ? 15 : 2,
        floor: isLarge ? 60 : 20,
      },
    ];
  });
  const growth = median(largest?.times.pick ?? []) / median(smallest?.times.pick ?? []);
  return [...rows, { what: 'growth of picks in a round', value: growth, unit: '×', goal: 4, floor: 8 }];
}
