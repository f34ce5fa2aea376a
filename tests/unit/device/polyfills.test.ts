import { expect, test, vi } from 'vitest';
import { polyfills } from '#device/polyfills.ts';

const { allSettled, assign, at, flat, flatMap, fromEntries, hasOwn, queueMicrotask } = polyfills;

test('`at` counts from both ends of a sequence', () => {
  expect([
    at.call([1, 2, 3], 0),
    at.call([1, 2, 3], -1),
    at.call('abc' as never, -2),
    at.call(Uint8Array.of(7, 8), 1),
  ]).toEqual([1, 3, 'b', 8]);
  expect([at.call([1], 5), at.call([1], -5), at.call([1, 2], Number.NaN), at.call([1, 2], 1.7)]).toEqual([
    undefined,
    undefined,
    1,
    2,
  ]);
});

test('`hasOwn` tells own from inherited', () => {
  expect([hasOwn({ own: undefined }, 'own'), hasOwn({}, 'toString'), hasOwn(Object.create(null), 'x')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('`fromEntries` makes an object of pairs, whatever their names', () => {
  const pairs = [
    ['a', 1],
    ['__proto__', 2],
    ['a', 3],
  ] as const;
  expect(Object.entries(fromEntries(new Map(pairs.slice(0, 1))))).toEqual([['a', 1]]);
  expect(Object.entries(fromEntries(pairs))).toEqual(Object.entries(Object.fromEntries(pairs)));
});

test('`flat` and `flatMap` take lists apart, as deep as they are told', () => {
  const nested = [1, [2, [3, [4]]], []];
  for (const depth of [undefined, 0, 1, 2, Number.POSITIVE_INFINITY])
    expect(flat.call(nested, depth)).toEqual(nested.flat(depth));
  expect(flatMap.call([1, 2], (item, index) => (index === 0 ? [item, [item]] : item))).toEqual([1, [1], 2]);
});

test('`allSettled` waits for all, and says of each how it ended', async () => {
  const values = [1, Promise.resolve(2), Promise.reject(new Error('no'))];
  expect(await allSettled.call(Promise, values)).toEqual(await Promise.allSettled(values));
});

test('`queueMicrotask` runs its task after the code that queues it; what that throws is an uncaught error', async () => {
  const events: string[] = [];
  queueMicrotask(() => events.push('task'));
  events.push('code');
  await Promise.resolve();
  expect(events).toEqual(['code', 'task']);
  const uncaught = vi.fn();
  vi.useFakeTimers();
  queueMicrotask(() => {
    throw new Error('wrong');
  });
  await vi.advanceTimersByTimeAsync(0).catch(uncaught);
  vi.useRealTimers();
  expect(uncaught).toHaveBeenCalledOnce();
});

test('`assign` writes what is own and enumerable of each source, through setters', () => {
  const hidden = Object.defineProperty({ a: 1 }, 'hidden', { value: 2 });
  expect(assign({ a: 0, b: 0 }, hidden, null, undefined, 'c', Object.create({ inherited: 1 }))).toEqual({
    a: 1,
    b: 0,
    0: 'c',
  });
  const written: unknown[] = [];
  assign(new Proxy({}, { set: (_, key, value) => written.push([key, value]) > 0 }), { a: 1, [Symbol.iterator]: 2 });
  expect(written).toEqual([
    ['a', 1],
    [Symbol.iterator, 2],
  ]);
});
