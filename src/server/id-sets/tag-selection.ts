import type { RoaringBitmap32 } from 'roaring-wasm';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import type { FilterMode } from '#contract/rules/tag-filter.ts';
import type { RandomBelow } from '../ids.ts';
import type { LiveSet, LiveSets } from './live-sets.ts';
import type { FormKey, SetKey } from './set-changes.ts';
import { needSets } from './set-changes.ts';

/**
 * A selection of available videos, by tag numbers without duplicates. Without tags it includes all;
 * blocked tags take precedence over selected ones.
 */
export interface TagSelection {
  readonly tags: readonly number[];
  readonly mode: FilterMode;
  readonly blocked: readonly number[];
  /** True: only videos on which no person has put an active tag. False: the others. Absent: all. */
  readonly isUntagged?: boolean;
  /**
   * The needs that the device does not support, by ascending indexes in `mediaNeeds`; videos that
   * have them are left out. Absent: none.
   */
  readonly missingNeeds?: readonly number[];
  /** Only videos of all these lengths and shapes, in the order of `formKeys`. Absent: of any. */
  readonly forms?: readonly FormKey[];
  /**
   * Only these videos, such as the favourites of a person, in ascending order; it must not change.
   * Absent: all.
   */
  readonly among?: Uint32Array;
  /**
   * The least rank of the tags that the viewer does not see; videos that are only in tags of this
   * rank or a higher one are left out. Absent: the viewer sees all.
   */
  readonly restrictedFrom?: number | undefined;
}

/**
 * The unsupported needs of a device that any video has, by index. In a library that plays
 * everywhere, all devices thus share one selection.
 */
export function listLacking(sets: LiveSets, device: DeviceClass): readonly number[] {
  return needSets
    .filter(({ key, bit }) => (device & bit) === 0 && !sets.of(key).bits.isEmpty)
    .map(({ index }) => index);
}

/** Whether a selection without `among` includes all available videos. */
export function isEverything(selection: TagSelection): boolean {
  const { tags, blocked, isUntagged, missingNeeds, restrictedFrom, forms } = selection;
  const isWhole = isUntagged === undefined && restrictedFrom === undefined;
  return isWhole && !(tags.length || blocked.length || missingNeeds?.length || forms?.length);
}

/** The lists of `among` by number, as long as somebody has them. */
const amongNumbers = new WeakMap<Uint32Array, number>();
let lastAmong = 0;

function nameAmong(among: Uint32Array): number {
  const known = amongNumbers.get(among);
  if (known !== undefined) return known;
  lastAmong += 1;
  amongNumbers.set(among, lastAmong);
  return lastAmong;
}

/** The cache key of a selection. Two keys for the same selection would only waste memory. */
export function nameSelection(selection: TagSelection): string {
  const { tags, mode, blocked, isUntagged, missingNeeds = [], restrictedFrom, forms = [], among } = selection;
  const part = isUntagged === undefined ? '' : isUntagged ? ' untagged' : ' tagged';
  const below = restrictedFrom === undefined ? '' : ` below ${restrictedFrom}`;
  const chosen = among === undefined ? '' : ` among ${nameAmong(among)}`;
  return `${mode} ${tags.join()} ${blocked.join()} ${missingNeeds.join()} ${forms.join()}${part}${below}${chosen}`;
}

/** The sets that a selection is computed from. */
export function sourcesOf(sets: LiveSets, selection: TagSelection): Pick<LiveSet, 'changedAt'>[] {
  const { tags, blocked, isUntagged, missingNeeds = [], restrictedFrom, forms = [] } = selection;
  return [
    sets.of('available'),
    ...forms.map(sets.of),
    ...(isUntagged !== undefined ? [sets.of('untagged')] : []),
    ...tags.map(sets.of),
    ...blocked.map(sets.of),
    ...missingNeeds.map((index) => sets.of(`need:${index}`)),
    ...(restrictedFrom === undefined ? [] : [sets.restricted.of(restrictedFrom)]),
  ];
}

/**
 * @param allowed the videos that are available, not blocked and playable by the device, if already
 * computed
 */
export function poolOf(
  sets: LiveSets,
  { tags, mode, blocked, isUntagged, missingNeeds = [], restrictedFrom, forms = [] }: TagSelection,
  allowed?: RoaringBitmap32,
): Pool<RoaringBitmap32> {
  const bitsOf = (key: SetKey) => sets.of(key).bits;
  const available = allowed ?? sets.of('available').bits;
  const untagged = sets.of('untagged').bits;
  const refused: SetKey[] =
    allowed === undefined ? [...blocked, ...missingNeeds.map((index): SetKey => `need:${index}`)] : [];
  const isOpen = allowed !== undefined || restrictedFrom === undefined;
  const restricted = isOpen ? [] : [sets.restricted.of(restrictedFrom).bits];
  const none = [...refused.map(bitsOf), ...restricted, ...(isUntagged === false ? [untagged] : [])];
  const ofForms = forms.map(bitsOf);
  if (isUntagged) return { any: [untagged], all: [available, ...ofForms, ...tags.map(bitsOf)], none };
  if (mode === 'OR' && tags.length > 0) return { any: tags.map(bitsOf), all: [available, ...ofForms], none };
  const [smallest, ...others] = [...tags.map(bitsOf), ...ofForms].sort((a, b) => a.size - b.size);
  return smallest === undefined
    ? { any: [available], all: [], none }
    : { any: [smallest], all: [...others, available], none };
}

/** Whether a selection would include a video if that were available and its device played it. */
export function isWished(
  sets: LiveSets,
  { blocked, restrictedFrom, forms = [], among }: TagSelection,
  number: number,
): boolean {
  const has = (key: SetKey) => sets.of(key).bits.has(number);
  const isWithheld = restrictedFrom !== undefined && sets.restricted.of(restrictedFrom).bits.has(number);
  return !isWithheld && !blocked.some(has) && forms.every(has) && (among?.includes(number) ?? true);
}

/** A set of numbers in ascending order. */
export interface NumberSet {
  readonly size: number;
  has(number: number): boolean;
  /** The number at an index, counted from 0. */
  select(rank: number): number;
}

/** A pool of numbers: those in any set of `any`, in every set of `all`, in no set of `none`. */
export interface Pool<S extends NumberSet = NumberSet> {
  any: readonly S[];
  all: readonly S[];
  none: readonly S[];
}

const maxTries = 64;

/**
 * Draws from a pool without computing it: draws an index over all sets of `any`, weighted by their
 * sizes, then checks the conditions. A number in several sets counts only in the first of them, so
 * all numbers of the pool that are not excluded are equally likely.
 * @returns null after 64 rejected draws in a row
 */
export function sample(pool: Pool, exclude: readonly number[], randomBelow: RandomBelow): number | null {
  const places = pool.any.reduce((sum, set) => sum + set.size, 0);
  if (places === 0) return null;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const number = numberAt(pool.any, randomBelow(places));
    if (number !== null && isWanted(pool, number) && !exclude.includes(number)) return number;
  }
  return null;
}

/** Draws one of a set's numbers; an excluded one only if there is no other. Null if it is empty. */
export function draw(set: NumberSet, exclude: readonly number[], randomBelow: RandomBelow): number | null {
  if (set.size === 0) return null;
  return drawOther(set, exclude, randomBelow) ?? set.select(randomBelow(set.size));
}

/** Draws one of a set's numbers that is not excluded. Null if there is none. */
export function drawOther(set: NumberSet, exclude: readonly number[], randomBelow: RandomBelow): number | null {
  // A set larger than `exclude` always has a number that is not excluded, and drawing finds it
  // faster than the ranks of the excluded numbers.
  const tries = set.size > exclude.length ? maxTries : 0;
  for (let tried = 0; tried < tries; tried += 1) {
    const number = set.select(randomBelow(set.size));
    if (!exclude.includes(number)) return number;
  }
  return drawBetween(set, exclude, randomBelow);
}

/**
 * Draws by counting: draws a rank among the remaining numbers, and moves it on by each excluded
 * number before it.
 */
function drawBetween(set: NumberSet, exclude: readonly number[], randomBelow: RandomBelow): number | null {
  const refused = [...new Set(exclude)].filter((number) => set.has(number)).sort((a, b) => a - b);
  const left = set.size - refused.length;
  if (left === 0) return null;
  let rank = randomBelow(left);
  for (const number of refused) {
    if (number <= set.select(rank)) rank += 1;
  }
  return set.select(rank);
}

/** Returns null if an earlier set has the number too. */
function numberAt(sets: readonly NumberSet[], place: number): number | null {
  let rank = place;
  for (const [index, set] of sets.entries()) {
    if (rank >= set.size) {
      rank -= set.size;
      continue;
    }
    const number = set.select(rank);
    return sets.some((earlier, other) => other < index && earlier.has(number)) ? null : number;
  }
  return null;
}

export function isInPool(pool: Pool, number: number): boolean {
  return pool.any.some((set) => set.has(number)) && isWanted(pool, number);
}

function isWanted({ all, none }: Pool, number: number): boolean {
  return all.every((set) => set.has(number)) && !none.some((set) => set.has(number));
}
