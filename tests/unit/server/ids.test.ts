import { expect, test } from 'vitest';
import { createIds, secureRandomBelow } from '#server/ids.ts';

const ids = createIds({ now: () => 0x0123456789ab, elapsed: () => 0 });

test('a long id is a UUID of version 7 that carries its time', () => {
  expect(ids.long()).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('long ids sort by the time they were made', () => {
  let now = 1_700_000_000_000;
  const made = createIds({ now: () => now++, elapsed: () => 0 });
  const list = Array.from({ length: 50 }, () => made.long());
  expect([...list].sort()).toEqual(list);
});

test('a short id has ten characters that need no encoding', () => {
  for (let time = 0; time < 50; time += 1) expect(ids.short()).toMatch(/^[2-9b-z]{10}$/);
});

test('no id comes twice', () => {
  for (const make of [ids.long, ids.short, ids.request, ids.secret])
    expect(new Set(Array.from({ length: 1_000 }, make)).size).toBe(1_000);
});

test('a random number is below its limit', () => {
  for (let time = 0; time < 50; time += 1) expect([0, 1, 2]).toContain(secureRandomBelow(3));
});
