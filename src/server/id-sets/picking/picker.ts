import type { RoaringBitmap32 } from 'roaring-wasm';
import type { DeviceClass } from '#contract/rules/media/needs.ts';
import type { Clock } from '../../clock.ts';
import type { RandomBelow } from '../../ids.ts';
import type { LiveSets } from '../live-sets.ts';
import { computePool } from './compute-pool.ts';
import { MatchingCache } from './matching-cache.ts';
import type { NumberSet, Pool } from './sample.ts';
import { draw, isInPool, sample } from './sample.ts';
import { TagCounts } from './tag-counts.ts';
import type { TagSelection } from './tag-selection.ts';
import { isEverything, listLacking, poolOf } from './tag-selection.ts';

/** Videos by number: ids and paths are the repositories' business. */
export interface Picker {
  /**
   * One available video of a selection, each as likely as the other; an excluded one only when there is no other. Null
   * when none matches.
   */
  pick(selection: TagSelection, exclude: readonly number[]): { number: number; matching: number } | null;
  count(selection: TagSelection): number;
  /** What of all that videos need a device lacks: for `TagSelection.lacks`. */
  listLacking(device: DeviceClass): readonly number[];
  /** Available videos that a tag is on. */
  countOnTag(tag: number): number;
  /** Whether a video is one of a selection. */
  matches(selection: TagSelection, number: number): boolean;
  /**
   * Numbers of a selection by tags that are not available, newest first; without tags there is no set of them.
   */
  pageUnavailable(selection: TagSelection, offset: number, limit: number): number[];
  isOnAny(tags: readonly number[], number: number): boolean;
  /** Newest first, which is highest number first. */
  page(selection: TagSelection, offset: number, limit: number): { numbers: number[]; total: number };
  /** Those of a selection that are in all of some other sets. The set belongs to the caller. */
  within(selection: TagSelection, sets: readonly RoaringBitmap32[]): RoaringBitmap32;
  /** Those of a selection that any of some tags is on. The set belongs to the caller. */
  onAny(selection: TagSelection, tags: readonly number[]): RoaringBitmap32;
  /** Gives all videos of a selection to a function that uses them at once; they are to be left as they are. */
  use<Result>(selection: TagSelection, read: (numbers: RoaringBitmap32) => Result): Result;
  /** Available videos that need any of some places of `mediaNeeds` and have no encoding; newest first. */
  pageNeeding(places: readonly number[], offset: number, limit: number): number[];
}

/**
 * Beyond this many videos a count takes milliseconds; while a library of that size changes, the `matching` of a pick
 * may be a second old.
 */
const largeLibrary = 2_000_000;
const largestLagMs = 1_000;

export function createPicker(sets: LiveSets, clock: Clock, randomBelow: RandomBelow): Picker {
  const cache = new MatchingCache(sets, clock);
  const tagCounts = new TagCounts(sets, clock);

  function read(selection: TagSelection): RoaringBitmap32 {
    return isEverything(selection) ? sets.of('available').bits : cache.read(selection);
  }

  /** What is drawn is always true to the sets as they are; only the count is of a moment ago. */
  function pickMeanwhile(
    selection: TagSelection,
    exclude: readonly number[],
  ): { number: number; matching: number } | null {
    if (isEverything(selection) || sets.of('available').bits.size <= largeLibrary) return null;
    const known = cache.find(selection);
    if (known === undefined || known.isFresh || known.ageMs > largestLagMs) return null;
    const number = sample(poolOf(sets, selection), exclude, randomBelow);
    return number === null ? null : { number, matching: known.numbers.size };
  }

  function pageOf(pool: Pool<RoaringBitmap32>, offset: number, limit: number): number[] {
    const numbers = computePool(pool);
    const page = newestOf(numbers, offset, limit);
    numbers.dispose();
    return page;
  }

  return {
    pick(selection, exclude) {
      const meanwhile = pickMeanwhile(selection, exclude);
      if (meanwhile !== null) return meanwhile;
      const numbers = read(selection);
      const number = draw(numbers, exclude, randomBelow);
      return number === null ? null : { number, matching: numbers.size };
    },
    pageUnavailable(selection, offset, limit) {
      const available = sets.of('available').bits;
      const { any, all, none } = poolOf(sets, selection);
      const pool = { any, all: all.filter((set) => set !== available), none: [...none, available] };
      return pageOf(pool, offset, limit);
    },
    isOnAny: (tags, number) => tags.some((tag) => sets.of(tag).bits.has(number)),
    count: (selection) => read(selection).size,
    listLacking: (device) => listLacking(sets, device),
    countOnTag: (tag) => tagCounts.read(tag),
    matches: (selection, number) => isInPool(poolOf(sets, selection), number),
    page(selection, offset, limit) {
      const numbers = read(selection);
      return { numbers: newestOf(numbers, offset, limit), total: numbers.size };
    },
    within: (selection, [first, ...others]) =>
      computePool({ any: first === undefined ? [] : [first], all: [...others, read(selection)], none: [] }),
    onAny: (selection, tags) =>
      computePool({ any: tags.map((tag) => sets.of(tag).bits), all: [read(selection)], none: [] }),
    use: (selection, use) => use(read(selection)),
    pageNeeding(places, offset, limit) {
      const any = places.map((place) => sets.of(`need:${place}`).bits);
      return pageOf({ any, all: [sets.of('available').bits], none: [] }, offset, limit);
    },
  };
}

/** A page of a set, newest first, which is highest number first. */
export function newestOf(numbers: NumberSet, offset: number, limit: number): number[] {
  const end = Math.max(0, numbers.size - offset);
  return Array.from({ length: Math.min(limit, end) }, (_, index) => numbers.select(end - 1 - index));
}
