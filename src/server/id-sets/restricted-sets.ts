import { RoaringBitmap32 } from 'roaring-wasm';
import { withoutRuns } from './bits.ts';

/** The rank of each active tag: the least rank of a viewer who sees it. 0: everybody does. */
export type TagRanks = ReadonlyMap<number, number>;

/** The sets of the tags, from which the restricted ones are derived. */
interface TagSource {
  videosOf(tag: number): RoaringBitmap32;
  /** Counts a change of a set, as `LiveSets.tick` does. */
  countChange(): number;
}

/** The videos that are only in tags of at least one rank. Both values are always current. */
export interface RestrictedSet {
  readonly bits: RoaringBitmap32;
  /** The value of `LiveSets.tick` at its last change. */
  readonly changedAt: number;
}

/**
 * The videos that are only in restricted tags, for each rank that tags have. They are derived from
 * the sets of the tags: changes are noted, and settled when a set is read. While no tag is
 * restricted, nothing is noted.
 */
export class RestrictedSets {
  private readonly source: TagSource;
  private readonly sets = new Map<number, OwnSet>();
  private ranks: TagRanks = new Map();
  /** The ranks above 0 that tags have, in ascending order. */
  private inUse: readonly number[] = [];
  /** The videos whose tags have changed since the sets were settled. */
  private readonly changed = new RoaringBitmap32();

  constructor(source: TagSource) {
    this.source = source;
  }

  /** The rank of an active tag; undefined for other tags. */
  rankOf(tag: number): number | undefined {
    return this.ranks.get(tag);
  }

  /**
   * The least rank of the tags that a viewer of a rank does not see; undefined if there are none.
   * Viewers who see the same tags thus share a set.
   */
  from(viewerRank: number): number | undefined {
    return this.inUse.find((rank) => rank > viewerRank);
  }

  /** Whether a video is only in tags that a viewer of a rank does not see; rank 0: is it for some? */
  isWithheld(viewerRank: number, videoNumber: number): boolean {
    const from = this.from(viewerRank);
    return from !== undefined && this.of(from).bits.has(videoNumber);
  }

  /** The videos that are in tags of at least this rank, and in no tag of a lower one. */
  of(rank: number): RestrictedSet {
    return this.ownOf(rank);
  }

  private ownOf(rank: number): OwnSet {
    const known = this.sets.get(rank);
    if (known !== undefined) return known;
    const set = new OwnSet(() => this.settle());
    this.sets.set(rank, set);
    return set;
  }

  /** Takes over the ranks of all active tags. */
  setRanks(ranks: TagRanks): void {
    const [ranksBefore, usedBefore] = [this.ranks, this.inUse];
    const inUse = [...new Set(ranks.values())].filter((rank) => rank > 0).sort((one, other) => one - other);
    const left = usedBefore.filter((rank) => !inUse.includes(rank));
    this.settle();
    for (const rank of left) this.changed.orInPlace(this.ownOf(rank).numbers);
    this.ranks = ranks;
    this.inUse = inUse;
    for (const rank of inUse) this.ownOf(rank);
    const least = inUse.find((rank) => !usedBefore.includes(rank)) ?? Number.POSITIVE_INFINITY;
    const isNew = (tag: number, rank: number) => ranksBefore.get(tag) !== rank && usedBefore.length > 0;
    for (const [tag, rank] of ranks) if (rank >= least || isNew(tag, rank)) this.note(this.source.videosOf(tag));
    for (const tag of ranksBefore.keys()) if (!ranks.has(tag)) this.note(this.source.videosOf(tag));
    if (!this.changed.isEmpty) this.source.countChange();
  }

  /** Notes that the tags of some videos have changed. */
  note(videos: RoaringBitmap32): void {
    if (this.inUse.length > 0) this.changed.orInPlace(videos);
  }

  private settle(): void {
    if (this.changed.isEmpty) return;
    for (const [rank, set] of this.sets) {
      const now = this.inUse.includes(rank) ? this.withheldOf(rank) : new RoaringBitmap32();
      if (set.replace(this.changed, now)) set.at = this.source.countChange();
      now.dispose();
    }
    this.changed.clear();
  }

  /** Finds the changed videos that are in tags of at least a rank, and in none of a lower one. */
  private withheldOf(rank: number): RoaringBitmap32 {
    const found = new RoaringBitmap32();
    for (const [tag, own] of this.ranks) {
      if (own < rank) continue;
      const both = RoaringBitmap32.and(this.source.videosOf(tag), this.changed);
      found.orInPlace(both);
      both.dispose();
    }
    for (const [tag, own] of this.ranks) {
      if (found.isEmpty) break;
      if (own < rank) found.andNotInPlace(this.source.videosOf(tag));
    }
    return found;
  }
}

class OwnSet implements RestrictedSet {
  at = 0;
  /** These lack the changes that `bits` settles. */
  readonly numbers = new RoaringBitmap32();
  private readonly settle: () => void;

  constructor(settle: () => void) {
    this.settle = settle;
  }

  get bits(): RoaringBitmap32 {
    this.settle();
    return this.numbers;
  }

  get changedAt(): number {
    this.settle();
    return this.at;
  }

  /** Replaces its part of some videos. @returns whether that changed anything */
  replace(some: RoaringBitmap32, now: RoaringBitmap32): boolean {
    const before = RoaringBitmap32.and(this.numbers, some);
    const isSame = before.isEqual(now);
    before.dispose();
    if (isSame) return false;
    this.numbers.andNotInPlace(some);
    withoutRuns(this.numbers.orInPlace(now));
    return true;
  }
}
