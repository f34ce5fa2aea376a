import { RoaringBitmap32 } from 'roaring-wasm';
import { expect, test } from 'vitest';
import { encodeNumbers } from '#server/id-sets/bits.ts';
import { createLiveSets } from '#server/id-sets/live-sets.ts';
import { isInPool, nameSelection, poolOf, sourcesOf } from '#server/id-sets/tag-selection.ts';
import { seededRandom } from './list-set.ts';

const tags = [1, 2, 3, 4, 5];
const videos = Array.from({ length: 40 }, (_, at) => at + 1);
const viewers = [0, 1, 2, 3, 4];
const everything = { tags: [], mode: 'OR', blocked: [] } as const;

test('a viewer of any rank is refused the videos of unseen tags alone, whatever changed before', () => {
  const random = seededRandom(7);
  const sets = createLiveSets();
  let seq = 0;
  const apply = (key: number | 'available', op: 'add' | 'remove' | 'replace', numbers: readonly number[]) => {
    seq += 1;
    sets.apply({ seq, key, op, bits: encodeNumbers(numbers) });
  };
  apply('available', 'add', videos);
  const ranks = new Map<number, number>();
  const some = () => videos.filter(() => random(4) === 0);
  const change = () => {
    const tag = tags[random(tags.length)] ?? 1;
    if (random(3) > 0) return apply(tag, (['add', 'remove', 'replace'] as const)[random(3)] ?? 'add', some());
    if (random(4) === 0) ranks.delete(tag);
    else ranks.set(tag, random(5));
    // Now and then no tag is restricted.
    if (random(8) === 0) for (const one of ranks.keys()) ranks.set(one, 0);
    sets.restricted.setRanks(new Map(ranks));
  };
  const isRefused = (viewer: number, video: number) => {
    const own = [...ranks].filter(([tag]) => sets.of(tag).bits.has(video));
    return own.length > 0 && own.every(([, rank]) => rank > viewer);
  };
  for (let step = 0; step < 400; step += 1) {
    for (let times = random(3); times >= 0; times -= 1) change();
    for (const viewer of viewers) {
      const selection = { ...everything, restrictedFrom: sets.restricted.from(viewer) };
      const shown = videos.filter((video) => isInPool(poolOf(sets, selection), video));
      expect(shown, `viewer ${viewer} after step ${step}`).toEqual(videos.filter((video) => !isRefused(viewer, video)));
    }
  }
});

test('a selection is outdated once a channel is for others, and stays current where that changes no video', () => {
  const sets = createLiveSets();
  sets.apply({ seq: 1, key: 1, op: 'add', bits: encodeNumbers([7, 8]) });
  sets.apply({ seq: 2, key: 2, op: 'add', bits: encodeNumbers([8]) });
  sets.restricted.setRanks(new Map([[1, 2]]));
  const selection = { ...everything, restrictedFrom: sets.restricted.from(0) };
  const changedAt = () => Math.max(...sourcesOf(sets, selection).map((source) => source.changedAt));
  const [before, tick] = [changedAt(), sets.tick()];
  sets.restricted.setRanks(
    new Map([
      [1, 2],
      [3, 0],
    ]),
  );
  expect(changedAt()).toBe(before);
  sets.restricted.setRanks(
    new Map([
      [1, 2],
      [2, 0],
    ]),
  );
  expect(sets.tick()).toBeGreaterThan(tick);
  expect(changedAt()).toBeGreaterThan(before);
  expect(sets.restricted.of(2).bits.isEqual(new RoaringBitmap32([7]))).toBe(true);
});

test('viewers share a selection when they see the same channels, and all of them when none is restricted', () => {
  const sets = createLiveSets();
  const nameFor = (viewer: number) => nameSelection({ ...everything, restrictedFrom: sets.restricted.from(viewer) });
  expect(new Set(viewers.map(nameFor))).toEqual(new Set([nameSelection(everything)]));
  sets.restricted.setRanks(new Map([[1, 3]]));
  expect(nameFor(0)).toBe(nameFor(2));
  expect(nameFor(3)).toBe(nameSelection(everything));
  expect(nameFor(0)).not.toBe(nameFor(3));
});
