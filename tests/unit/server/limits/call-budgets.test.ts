import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { callCosts, createCallBudgets } from '#server/limits/call-budgets.ts';
import { TokenBuckets } from '#server/limits/token-buckets.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

describe('a token bucket', () => {
  test('gives what it holds at once, then what comes back', () => {
    const clock = settableClock();
    const buckets = new TokenBuckets({ capacity: 3, perSecond: 2 }, clock);
    expect([1, 2, 3].map(() => buckets.take('a', 1))).toEqual([0, 0, 0]);
    expect(buckets.take('a', 1)).toBe(500);
    clock.pass(250);
    expect(buckets.take('a', 1)).toBe(250);
    clock.pass(250);
    expect([buckets.take('a', 1), buckets.take('a', 1)]).toEqual([0, 500]);
    expect(buckets.take('b', 1)).toBe(0);
    clock.pass(3_600_000);
    expect([1, 2, 3, 4].map(() => buckets.take('a', 1))).toEqual([0, 0, 0, 500]);
  });

  test('takes nothing for what it refuses', () => {
    const buckets = new TokenBuckets({ capacity: 3, perSecond: 1 }, settableClock());
    expect([buckets.take('a', 2), buckets.take('a', 2), buckets.take('a', 1)]).toEqual([0, 1_000, 0]);
  });

  test('minds no wall clock that is set', () => {
    const clock = settableClock();
    const buckets = new TokenBuckets({ capacity: 1, perSecond: 1 }, clock);
    buckets.take('a', 1);
    clock.jump(-3_600_000);
    expect(buckets.take('a', 1)).toBe(1_000);
    clock.jump(7_200_000);
    expect(buckets.take('a', 1)).toBe(1_000);
  });

  test('remembers so many, and forgets whoever has rested longest', () => {
    const buckets = new TokenBuckets({ capacity: 1, perSecond: 1 }, settableClock(), 3);
    for (const subject of ['a', 'b', 'c', 'a', 'd']) buckets.take(subject, 1);
    expect(buckets.size).toBe(3);
    expect(buckets.take('a', 1)).toBeGreaterThan(0);
    expect(buckets.take('b', 1)).toBe(0);
    for (let stranger = 0; stranger < 1_000; stranger += 1) buckets.take(`stranger ${stranger}`, 1);
    expect(buckets.size).toBe(3);
  });
});

describe('a hundred viewers behind one address', () => {
  const viewers = 100;
  /** What a page asks for before it plays, the four picks of each side of the switch among them. */
  const callsOfStart = 25;

  /** How many calls of each second of ten minutes are refused. */
  function replay(callsIn: (second: number) => number): number {
    const clock = settableClock();
    const { addresses } = createCallBudgets(clock);
    let refused = 0;
    for (let second = 0; second < 600; second += 1) {
      for (let call = 0; call < callsIn(second); call += 1)
        if (addresses.take('192.0.2.1', callCosts.usual) > 0) refused += 1;
      clock.pass(1_000);
    }
    return refused;
  }

  /** All of them at the same moment, which is the worst of it. */
  function callsOf(second: number, switchSeconds: number, skipsPerSecond: number): number {
    const atOnce = (everySeconds: number, calls: number) => (second % everySeconds === 0 ? viewers * calls : 0);
    const start = second === 0 ? viewers * callsOfStart : 0;
    const samples = atOnce(10, 4);
    return start + atOnce(switchSeconds, 4) + atOnce(limits.statusPollSeconds, 1) + samples + viewers * skipsPerSecond;
  }

  test('are not refused at the usual interval, with one skip a second each', () => {
    expect(replay((second) => callsOf(second, limits.switchIntervalSeconds, 1))).toBe(0);
  });

  test('are not refused at the shortest interval, with one skip a second each', () => {
    expect(replay((second) => callsOf(second, limits.switchIntervalMinSeconds, 1))).toBe(0);
  });

  test('are not refused when all of them reload at once after an hour without power', () => {
    expect(replay((second) => callsOf(second % 60, limits.switchIntervalSeconds, 0))).toBe(0);
  });

  test('would be noticed if they asked for much more', () => {
    expect(replay(() => 1_000)).toBeGreaterThan(300_000);
  });
});

test('one person may hold the skip key down on every screen they own', () => {
  const clock = settableClock();
  const { people } = createCallBudgets(clock);
  const refused = Array.from({ length: 600 }, () => {
    clock.pass(1_000);
    return Array.from({ length: 40 }, () => people.take('mara', callCosts.usual)).filter((waitMs) => waitMs > 0).length;
  });
  expect(refused.filter((count) => count > 0)).toEqual([]);
});
