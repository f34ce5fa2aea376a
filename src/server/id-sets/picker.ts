import { RoaringBitmap32 } from 'roaring-wasm';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import type { Clock } from '../clock.ts';
import type { RandomBelow } from '../ids.ts';
import { withoutRuns } from './bits.ts';
import { computePool } from './compute-pool.ts';
import type { Drawable, Seen } from './draw-unseen.ts';
import type { LiveSet, LiveSets } from './live-sets.ts';
import type { NumberSet, Pool, TagSelection } from './tag-selection.ts';
import {
  draw,
  isEverything,
  isInPool,
  isWished,
  listLacking,
  nameSelection,
  poolOf,
  sample,
  sourcesOf,
} from './tag-selection.ts';

/** Picks and lists videos by number; ids and paths belong to the repositories. */
export interface Picker {
  /**
   * Picks an available video of a selection, each with equal probability; an excluded one only if
   * there is no other. Null if none matches.
   */
  pick(selection: TagSelection, options: { exclude: readonly number[] }): PickedNumber | null;
  /**
   * Picks a video that a round has not seen, each with equal probability. No excluded one is
   * picked: `number` is null if the round has no other left.
   */
  pick(selection: TagSelection, options: { exclude: readonly number[]; seen: Seen }): PickOfRound | null;
  count(selection: TagSelection): number;
  /** The needs of any videos that a device does not support, for `TagSelection.missingNeeds`. */
  listLacking(device: DeviceClass): readonly number[];
  /** The number of available videos with a tag. */
  countOnTag(tag: number): number;
  /** Whether a video belongs to a selection. */
  matches(selection: TagSelection, number: number): boolean;
  /**
   * A page of a selection by tags: the videos that are not available, newest first. A selection
   * without tags has none, as there is no set of them.
   */
  pageUnavailable(selection: TagSelection, offset: number, limit: number): number[];
  /** Whether a selection without tags would include a video if that were available. */
  wishes(selection: TagSelection, number: number): boolean;
  /** A page of a selection, newest first, i.e. highest number first. */
  page(selection: TagSelection, offset: number, limit: number): { numbers: number[]; total: number };
  /**
   * The videos of a selection that are in all of some other sets. The set belongs to the caller.
   */
  within(selection: TagSelection, sets: readonly RoaringBitmap32[]): RoaringBitmap32;
  /** The videos of a selection that have any of some tags. The set belongs to the caller. */
  onAny(selection: TagSelection, tags: readonly number[]): RoaringBitmap32;
  /** Passes all videos of a selection to a function, which must not keep or change them. */
  use<Result>(selection: TagSelection, read: (numbers: RoaringBitmap32) => Result): Result;
  /**
   * Available videos that have any of some needs, by indexes in `mediaNeeds`, and have no encoding;
   * newest first.
   */
  pageNeeding(places: readonly number[], offset: number, limit: number): number[];
}

interface PickedNumber {
  number: number;
  /** The number of videos in the selection. */
  matching: number;
}

/** A pick while the cached numbers of the selection are outdated; `name` is that of the selection. */
type MeanwhilePick = PickedNumber & { name: string };

interface PickOfRound {
  number: number | null;
  matching: number;
  /** How many of them the round has not seen. */
  unseen: number;
}

/**
 * Above this many videos a count takes milliseconds; while such a library changes, the `matching`
 * of a pick may be up to a second old.
 */
const largeForMatching = 2_000_000;
const largestLagMs = 1_000;

export function createPicker(sets: LiveSets, clock: Clock, randomBelow: RandomBelow): Picker {
  const cache = new MatchingCache(sets, clock, compute);
  // A cache of its own, so that the videos of some people displace nobody else's selections.
  const amongCache = new MatchingCache(sets, clock, computeAmong);
  const tagCounts = new TagCounts(sets, clock);

  function find(selection: TagSelection): Matched {
    if (selection.among !== undefined) return amongCache.read(selection);
    if (!isEverything(selection)) return cache.read(selection);
    const { bits, changedAt } = sets.of('available');
    return { numbers: bits, name: '', changedAt };
  }

  function read(selection: TagSelection): RoaringBitmap32 {
    return find(selection).numbers;
  }

  /**
   * All filters of one viewer share blocklist and device, so the videos that these allow are cached
   * as a selection of their own.
   */
  function compute(selection: TagSelection): RoaringBitmap32 {
    const { tags, blocked, missingNeeds, restrictedFrom, forms = [] } = selection;
    const shared: TagSelection = {
      tags: [],
      mode: 'OR',
      blocked,
      restrictedFrom,
      ...(missingNeeds && { missingNeeds }),
    };
    const isShared = tags.length + forms.length > 0 && !isEverything(shared);
    return computePool(poolOf(sets, selection, isShared ? read(shared) : undefined));
  }

  function computeAmong({ among, ...rest }: TagSelection): RoaringBitmap32 {
    const numbers = new RoaringBitmap32(among);
    numbers.andInPlace(read(rest));
    return withoutRuns(numbers);
  }

  function pageOf(pool: Pool<RoaringBitmap32>, offset: number, limit: number, among?: Uint32Array): number[] {
    const numbers = computePool(pool);
    if (among !== undefined) keepAmong(numbers, among);
    const page = newestOf(numbers, offset, limit);
    numbers.dispose();
    return page;
  }

  return {
    pick: createPick({ sets, cache, find, clock, randomBelow }),
    pageUnavailable(selection, offset, limit) {
      const available = sets.of('available').bits;
      const { any, all, none } = poolOf(sets, selection);
      const pool = { any, all: all.filter((set) => set !== available), none: [...none, available] };
      return pageOf(pool, offset, limit, selection.among);
    },
    wishes: (selection, number) => isWished(sets, selection, number),
    count: (selection) => read(selection).size,
    listLacking: (device) => listLacking(sets, device),
    countOnTag: (tag) => tagCounts.read(tag),
    matches: (selection, number) =>
      isInPool(poolOf(sets, selection), number) && (selection.among?.includes(number) ?? true),
    page(selection, offset, limit) {
      const numbers = read(selection);
      return { numbers: newestOf(numbers, offset, limit), total: numbers.size };
    },
    within: (selection, [first, ...others]) =>
      computePool({ any: first === undefined ? [] : [first], all: [...others, read(selection)], none: [] }),
    onAny: (selection, tags) =>
      computePool({ any: tags.map((tag) => sets.of(tag).bits), all: [read(selection)], none: [] }),
    use: (selection, use) => use(read(selection)),
    pageNeeding(needs, offset, limit) {
      const any = needs.map((index) => sets.of(`need:${index}`).bits);
      return pageOf({ any, all: [sets.of('available').bits], none: [] }, offset, limit);
    },
  };
}

interface PickDeps {
  sets: LiveSets;
  cache: MatchingCache;
  find(selection: TagSelection): Matched;
  clock: Clock;
  randomBelow: RandomBelow;
}

function createPick({ sets, cache, find, clock, randomBelow }: PickDeps): Picker['pick'] {
  /** Finds what is known of a selection of a large library, perhaps from before the last changes. */
  function findKnown(selection: TagSelection): Matching | undefined {
    const isSmall = sets.of('available').bits.size <= largeForMatching;
    return isSmall || selection.among !== undefined || isEverything(selection) ? undefined : cache.find(selection);
  }

  /**
   * Picks by sampling while the cached set is outdated. The video always matches the current sets;
   * only the count may be older.
   */
  function pickMeanwhile(
    selection: TagSelection,
    known: Matching | undefined,
    exclude: readonly number[],
    seen?: Seen,
  ): MeanwhilePick | null {
    if (known === undefined || known.isFresh || known.ageMs > largestLagMs) return null;
    const { none, ...pool } = poolOf(sets, selection);
    const refused = seen === undefined ? none : [...none, seen.numbers];
    const number = sample({ ...pool, none: refused }, exclude, randomBelow);
    return number === null ? null : { number, matching: known.numbers.size, name: known.name };
  }

  function pickAny(selection: TagSelection, exclude: readonly number[]): PickedNumber | null {
    const known = findKnown(selection);
    const meanwhile = pickMeanwhile(selection, known, exclude);
    if (meanwhile !== null) return { number: meanwhile.number, matching: meanwhile.matching };
    const { numbers } = known?.isFresh ? known : find(selection);
    const number = draw(numbers, exclude, randomBelow);
    return number === null ? null : { number, matching: numbers.size };
  }

  function pickUnseen(selection: TagSelection, exclude: readonly number[], seen: Seen): PickOfRound | null {
    const known = findKnown(selection);
    const meanwhile = pickMeanwhile(selection, known, exclude, seen);
    if (meanwhile !== null) {
      const { number, matching, name } = meanwhile;
      return { number, matching, unseen: Math.min(matching, seen.lastUnseen(name) ?? matching) };
    }
    const found = known?.isFresh ? known : find(selection);
    const matching = found.numbers.size;
    return matching === 0 ? null : { ...seen.draw({ ...found, now: clock.elapsed() }, exclude, randomBelow), matching };
  }

  function pick(selection: TagSelection, options: { exclude: readonly number[] }): PickedNumber | null;
  function pick(selection: TagSelection, options: { exclude: readonly number[]; seen: Seen }): PickOfRound | null;
  function pick(
    selection: TagSelection,
    { exclude, seen }: { exclude: readonly number[]; seen?: Seen },
  ): PickOfRound | PickedNumber | null {
    return seen === undefined ? pickAny(selection, exclude) : pickUnseen(selection, exclude, seen);
  }

  return pick;
}

function keepAmong(numbers: RoaringBitmap32, among: Uint32Array): void {
  const kept = new RoaringBitmap32(among);
  numbers.andInPlace(kept);
  withoutRuns(numbers);
  kept.dispose();
}

/** A page of a set, newest first, i.e. highest number first. */
export function newestOf(numbers: NumberSet, offset: number, limit: number): number[] {
  const end = Math.max(0, numbers.size - offset);
  return Array.from({ length: Math.min(limit, end) }, (_, index) => numbers.select(end - 1 - index));
}

/** All videos of a selection; see `Drawable`. */
type Matched = Omit<Drawable, 'now'>;

/** All available videos of a selection, at the time when it was computed. */
interface Matching extends Matched {
  /** False once a set that it was computed from has changed. */
  readonly isFresh: boolean;
  /** Since it was computed; 0 while it is fresh. */
  readonly ageMs: number;
}

interface Entry extends Matched {
  sources: readonly Pick<LiveSet, 'changedAt'>[];
  bytes: number;
  /** The last tick of the live sets at which no source had changed. */
  tick: number;
  computedAt: number;
}

const maxEntries = 256;
/** A selection of a million videos takes 128 KiB, one of ten million 1.2 MiB. */
const maxBytes = 32 * 1_048_576;

/**
 * Caches the selections that were used last. The sets belong to the cache: callers use them at once
 * and do not keep them.
 */
class MatchingCache {
  private readonly sets: LiveSets;
  private readonly clock: Clock;
  private readonly compute: (selection: TagSelection) => RoaringBitmap32;
  /** Ordered by last use; the most recently used entry is the last. */
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(sets: LiveSets, clock: Clock, compute: (selection: TagSelection) => RoaringBitmap32) {
    this.sets = sets;
    this.clock = clock;
    this.compute = compute;
  }

  /** Returns the cached set, even if it is outdated. */
  find(selection: TagSelection): Matching | undefined {
    const entry = this.touch(nameSelection(selection));
    if (entry === undefined) return undefined;
    const { numbers, name, changedAt, computedAt } = entry;
    const isFresh = this.isFresh(entry);
    return { numbers, name, changedAt, isFresh, ageMs: isFresh ? 0 : this.clock.elapsed() - computedAt };
  }

  /** Returns the current set, from the cache or computed. */
  read(selection: TagSelection): Matched {
    const name = nameSelection(selection);
    const known = this.touch(name);
    if (known !== undefined && this.isFresh(known)) return known;
    const numbers = this.compute(selection);
    this.forget(name);
    const sources = sourcesOf(this.sets, selection);
    const entry = {
      numbers,
      name,
      changedAt: Math.max(...sources.map((source) => source.changedAt)),
      sources,
      bytes: numbers.getSerializationSizeInBytes('portable'),
      tick: this.sets.tick(),
      computedAt: this.clock.elapsed(),
    };
    this.entries.set(name, entry);
    this.bytes += entry.bytes;
    this.makeRoom();
    return entry;
  }

  dispose(): void {
    for (const name of [...this.entries.keys()]) this.forget(name);
  }

  private touch(name: string): Entry | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    this.entries.delete(name);
    this.entries.set(name, entry);
    return entry;
  }

  private isFresh(entry: Entry): boolean {
    const tick = this.sets.tick();
    if (entry.tick === tick) return true;
    if (entry.sources.some((source) => source.changedAt > entry.tick)) return false;
    entry.tick = tick;
    return true;
  }

  private forget(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    this.entries.delete(name);
    this.bytes -= entry.bytes;
    entry.numbers.dispose();
  }

  /** Removes the least recently used entries; the newest stays, whatever its size. */
  private makeRoom(): void {
    for (const name of this.entries.keys()) {
      if (this.entries.size === 1 || (this.entries.size <= maxEntries && this.bytes <= maxBytes)) return;
      this.forget(name);
    }
  }
}

interface Count {
  count: number;
  /** The last tick of the live sets at which neither set had changed. */
  tick: number;
  /** The time of the count, by `clock.elapsed()`, in milliseconds. */
  countedAt: number;
}

/**
 * Above this many videos all counts together take milliseconds; while such a library changes, they
 * may be up to a second old.
 */
const largeForCounts = 100_000;

/** Counts the available videos of each tag, again only if one of the two sets has changed. */
export class TagCounts {
  private readonly sets: LiveSets;
  private readonly clock: Clock;
  private readonly counts = new Map<number, Count>();

  constructor(sets: LiveSets, clock: Clock) {
    this.sets = sets;
    this.clock = clock;
  }

  read(tag: number): number {
    const known = this.counts.get(tag);
    if (known !== undefined && this.isGood(tag, known)) return known.count;
    const count = this.sets.of(tag).bits.andCardinality(this.sets.of('available').bits);
    this.counts.set(tag, { count, tick: this.sets.tick(), countedAt: this.clock.elapsed() });
    return count;
  }

  private isGood(tag: number, known: Count): boolean {
    const tick = this.sets.tick();
    if (known.tick === tick) return true;
    if (this.sets.of(tag).changedAt > known.tick) return false;
    const available = this.sets.of('available');
    if (available.changedAt > known.tick)
      return available.bits.size > largeForCounts && this.clock.elapsed() - known.countedAt < largestLagMs;
    known.tick = tick;
    return true;
  }
}
