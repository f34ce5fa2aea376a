import { expect, test } from 'vitest';
import { reconnectWaitMs } from '#app/platform/link.ts';

/** The same numbers from 0 to 1 in every run: Lehmer's generator. */
function seededChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** The second in which one client, which lost the server at 0, first asks for it after it is back. */
function secondOfReturn(backSeconds: number, chance: () => number): number {
  let atMs = 0;
  for (let failures = 0; atMs < backSeconds * 1000; failures += 1) atMs += reconnectWaitMs(failures, chance());
  return Math.floor(atMs / 1000);
}

test.each([30, 60, 120, 300, 600])(
  'a thousand clients that lost the server %i s ago come back less than 50 a second',
  (backSeconds) => {
    const chance = seededChance(backSeconds);
    const perSecond = new Map<number, number>();
    for (let client = 0; client < 1_000; client += 1) {
      const second = secondOfReturn(backSeconds, chance);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(50);
    expect(Math.max(...perSecond.keys()) - backSeconds).toBeLessThanOrEqual(60);
  },
);

test('the first questions come within seconds', () => {
  expect([0, 1, 2].map((failures) => reconnectWaitMs(failures, 0))).toEqual([500, 1_000, 2_000]);
  expect([0, 1, 2].map((failures) => reconnectWaitMs(failures, 1))).toEqual([2_000, 4_000, 8_000]);
});
