import { RoaringBitmap32 } from 'roaring-wasm';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeNumbers, encodeSet } from '#server/id-sets/bits.ts';
import type { LiveSets } from '#server/id-sets/live-sets.ts';
import { createLiveSets } from '#server/id-sets/live-sets.ts';
import type { Picker } from '#server/id-sets/picker.ts';
import { createPicker } from '#server/id-sets/picker.ts';
import type { SetKey } from '#server/id-sets/set-changes.ts';
import { seededRandom } from './list-set.ts';

let sets: LiveSets;
let picker: Picker;
let now: number;
let seq: number;

beforeEach(() => {
  sets = createLiveSets();
  now = 0;
  seq = 1;
  picker = createPicker(sets, { now: () => now, elapsed: () => now }, seededRandom(3));
});

function hold(key: SetKey, from: number, to: number): void {
  const bits = RoaringBitmap32.fromRange(from, to);
  sets.adopt({ key, seq: 1, cardinality: bits.size, bits: encodeSet(bits) });
}

function change(key: SetKey, op: 'add' | 'remove', numbers: number[]): void {
  seq += 1;
  sets.apply({ seq, key, op, bits: encodeNumbers(numbers) });
}

describe('a count', () => {
  test('is of this moment in a library of a usual size', () => {
    hold('available', 1, 1_000);
    hold(7, 1, 100);
    const selection = { tags: [7], mode: 'OR', blocked: [] } as const;
    expect(picker.pick(selection, { exclude: [] })?.matching).toBe(99);
    change(7, 'add', [500]);
    expect(picker.pick(selection, { exclude: [] })?.matching).toBe(100);
    change('available', 'remove', [500, 1]);
    expect(picker.pick(selection, { exclude: [] })?.matching).toBe(98);
  });

  test('stays right when more selections were asked for than are remembered', () => {
    hold('available', 1, 2_000);
    for (let tag = 1; tag <= 600; tag += 1) hold(tag, tag, 2 * tag);
    for (let round = 0; round < 2; round += 1) {
      for (let tag = 1; tag < 600; tag += 1)
        expect(picker.count({ tags: [tag], mode: 'AND', blocked: [tag + 1] })).toBe(1);
    }
  });
});

describe('a pick in a library of millions that is changing', () => {
  const selection = { tags: [7], mode: 'OR', blocked: [8] } as const;

  beforeEach(() => {
    hold('available', 1, 2_100_000);
    hold(7, 1, 9);
    hold(8, 5, 9);
  });

  test('is true to the sets of this moment while its count may be a second old', () => {
    expect(picker.pick(selection, { exclude: [] })?.matching).toBe(4);
    change(8, 'add', [1, 2]);
    now = 900;
    const drawn = Array.from({ length: 100 }, () => picker.pick(selection, { exclude: [] }));
    expect(new Set(drawn.map((pick) => pick?.number))).toEqual(new Set([3, 4]));
    expect(drawn[0]?.matching).toBe(4);
    now = 1_001;
    expect(picker.pick(selection, { exclude: [] })?.matching).toBe(2);
  });

  test('leaves out what a device lacks, as of this moment', () => {
    hold('need:6', 1, 3);
    const lacking = { ...selection, missingNeeds: [6] };
    expect(picker.pick(lacking, { exclude: [] })?.matching).toBe(2);
    expect(picker.pick(selection, { exclude: [] })?.matching).toBe(4);
    change('need:6', 'add', [3]);
    const drawn = Array.from({ length: 50 }, () => picker.pick(lacking, { exclude: [] })?.number);
    expect(new Set(drawn)).toEqual(new Set([4]));
  });

  test('is none as soon as nothing matches any more', () => {
    picker.pick(selection, { exclude: [] });
    change(7, 'remove', [1, 2, 3, 4]);
    expect(picker.pick(selection, { exclude: [] })).toBeNull();
  });
});

test('a change that the sets hold already changes nothing', () => {
  hold('available', 1, 10);
  const known = { seq: 5, key: 'available', op: 'remove', bits: encodeNumbers([3]) } as const;
  sets.apply(known);
  sets.apply({ ...known, op: 'add', seq: 4 });
  sets.apply({ ...known, op: 'add' });
  expect(picker.count({ tags: [], mode: 'OR', blocked: [] })).toBe(8);
});
