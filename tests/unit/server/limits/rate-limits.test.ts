import { describe, expect, test } from 'vitest';
import type { Attempts } from '#server/limits/attempt-repository.ts';
import type { Policy } from '#server/limits/rate-limits.ts';
import { count } from '#server/limits/rate-limits.ts';

const now = 1_700_000_000_000;
const fresh: Attempts = { count: 0, blockedUntil: 0, forgottenAt: 0 };

function tryOften(policy: Policy, times: number, everyMs = 0) {
  let attempts = fresh;
  return Array.from({ length: times }, (_, index) => {
    const next = count(attempts, policy, now + index * everyMs);
    if (!next.isRefused) attempts = next;
    return next;
  });
}

describe('a window', () => {
  const policy: Policy = { kind: 'window', most: 3, windowMs: 60_000 };

  test('lets so many through and refuses the rest until it ends', () => {
    const tries = tryOften(policy, 5, 1_000);
    expect(tries.map((one) => one.isRefused)).toEqual([false, false, false, true, true]);
    expect(tries[3]?.blockedUntil).toBe(now + 60_000);
  });

  test('begins anew when it has ended, and when its end lies further away than it is long: the clock was set back', () => {
    const full = { count: 3, blockedUntil: 0, forgottenAt: now };
    expect(count(full, policy, now).isRefused).toBe(false);
    expect(count({ ...full, forgottenAt: now + 60_001 }, policy, now).isRefused).toBe(false);
    expect(count({ ...full, forgottenAt: now + 60_000 }, policy, now).isRefused).toBe(true);
  });
});

describe('a wait that grows', () => {
  const policy: Policy = { kind: 'back-off', free: 3, longestMs: 10_000, forgottenAfterMs: 3_600_000 };

  test('doubles from one second to its longest', () => {
    let attempts = fresh;
    const waits: number[] = [];
    let at = now;
    for (let tries = 0; tries < 8; tries += 1) {
      const next = count(attempts, policy, at);
      waits.push(Math.max(0, next.blockedUntil - at));
      at = Math.max(at, next.blockedUntil);
      attempts = next;
    }
    expect(waits).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test('refuses without counting while it lasts', () => {
    const tries = tryOften(policy, 6);
    expect(tries.map((one) => one.isRefused)).toEqual([false, false, false, true, true, true]);
    expect(tries.at(-1)?.count).toBe(3);
  });
});
