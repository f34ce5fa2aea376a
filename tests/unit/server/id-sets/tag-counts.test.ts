import { RoaringBitmap32 } from 'roaring-wasm';
import { describe, expect, test } from 'vitest';
import { encodeNumbers, encodeSet } from '#server/id-sets/bits.ts';
import { createLiveSets } from '#server/id-sets/live-sets.ts';
import { TagCounts } from '#server/id-sets/picker.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

/** Tag 7 is on the videos 1 to 3. */
function startWith(videos: number) {
  const sets = createLiveSets();
  const available = RoaringBitmap32.fromRange(1, videos + 1);
  sets.adopt({ key: 'available', seq: 1, cardinality: videos, bits: encodeSet(available) });
  available.dispose();
  sets.apply({ seq: 2, key: 7, op: 'add', bits: encodeNumbers([1, 2, 3]) });
  const clock = settableClock();
  const counts = new TagCounts(sets, clock);
  const remove = (seq: number, number: number) =>
    sets.apply({ seq, key: 'available', op: 'remove', bits: encodeNumbers([number]) });
  return { sets, clock, counts, remove };
}

describe('the videos that a tag is on', () => {
  test('are counted without those that are not available', () => {
    const { counts, remove } = startWith(10);
    expect(counts.read(7)).toBe(3);
    remove(3, 2);
    expect(counts.read(7)).toBe(2);
  });

  test('are counted anew at once when the tag itself has changed, however large the library', () => {
    const { sets, counts } = startWith(200_000);
    expect(counts.read(7)).toBe(3);
    sets.apply({ seq: 3, key: 7, op: 'add', bits: encodeNumbers([4]) });
    expect(counts.read(7)).toBe(4);
  });

  test('may be of a second ago in a large library whose videos come and go', () => {
    const { counts, clock, remove } = startWith(200_000);
    expect(counts.read(7)).toBe(3);
    remove(3, 2);
    expect(counts.read(7)).toBe(3);
    clock.pass(1_000);
    expect(counts.read(7)).toBe(2);
  });
});
