import { beforeEach } from 'vitest';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';

/** Whether soaks try all of their points (`npm run soak`), or a sample of them (`npm test`). */
export const isWholeSoak = process.env.SOAK === 'all';

const dayMs = 24 * 60 * 60 * 1_000;

/** Decides which points a sample has: that of the day, unless `SOAK_SEED` repeats another one. */
export const soakSeed = Number(process.env.SOAK_SEED ?? Math.floor(Date.now() / dayMs));

/**
 * Gives the distance from one point to the next: 1 in a whole soak, in a sample at random and `every` on average.
 * Point 0 is as likely as any other when the first point is one distance after -1.
 */
export function soakGaps(every: number): () => number {
  const random = seededRandom(soakSeed);
  return () => (isWholeSoak ? 1 : 1 + random(2 * every - 1));
}

/**
 * Attempts something with a fault at ever later points, until an attempt meets no fault any more.
 * @param every one point of so many is tried in a sample
 * @param attempt tells whether its fault was met
 * @returns the first point at which no fault was met
 * @throws what the attempt throws, with the point and the seed in its message
 */
export async function tryFaultPoints(every: number, attempt: (point: number) => Promise<boolean>): Promise<number> {
  const gap = soakGaps(every);
  for (let point = gap() - 1; ; point += gap()) {
    try {
      if (!(await attempt(point))) return point;
    } catch (error) {
      if (error instanceof Error) error.message += `\n(fault point ${point}, SOAK_SEED=${soakSeed})`;
      throw error;
    }
  }
}

/** The values that a soak takes of a list: all of them, or one of `every` in a sample, at least one. */
export function soakSample<T>(values: readonly T[], every: number): T[] {
  const gap = soakGaps(every);
  const first = (gap() - 1) % values.length;
  const taken: T[] = [];
  for (let index = first; index < values.length; index += gap()) taken.push(...values.slice(index, index + 1));
  return taken;
}

/** Cases for `test.each` that cost much: a sample of them, or all of them in a whole soak. What fails names the seed. */
export function soakCases<T>(cases: readonly T[], every: number): T[] {
  beforeEach(({ onTestFailed }) =>
    onTestFailed(() => console.error(`SOAK_SEED=${soakSeed} chose the cases of this file.`)),
  );
  return soakSample(cases, every);
}
