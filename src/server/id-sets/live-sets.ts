import { RoaringBitmap32 } from 'roaring-wasm';
import type { SetOperation } from '../database/tables/set-tables.ts';
import { decodeSet, withoutRuns } from './bits.ts';
import { RestrictedSets } from './restricted-sets.ts';
import type { LogKey, SetKey } from './set-changes.ts';

/** One row of the change log. */
export interface StoredChange<Key extends LogKey = SetKey> {
  seq: number;
  key: Key;
  op: SetOperation;
  bits: Buffer;
}

/** A set at some moment. */
export interface Snapshot<Key extends LogKey = SetKey> {
  key: Key;
  /** The last change that it includes. */
  seq: number;
  cardinality: number;
  bits: Buffer;
}

export interface LiveSet {
  readonly key: SetKey;
  readonly bits: RoaringBitmap32;
  /** The last change of this set that it includes. */
  readonly seq: number;
  /** The last change that its stored snapshot includes. */
  readonly storedSeq: number;
  /** The value of `LiveSets.tick` at its last change. */
  readonly changedAt: number;
}

/** All sets of this process, in memory. */
export interface LiveSets {
  /** A counter that increases with every change of any set. */
  tick(): number;
  /** Returns a set; it is empty if it was never changed. */
  of(key: SetKey): LiveSet;
  all(): Iterable<LiveSet>;
  /** The videos that not every viewer may see, derived from the sets of the tags. */
  readonly restricted: RestrictedSets;
  /**
   * Takes over a snapshot, unless the set itself is newer.
   * @throws for bytes that are no bitmap
   */
  adopt(snapshot: Snapshot): void;
  /**
   * Applies a change. Idempotent, as long as changes come in order.
   * @throws for bytes that are no bitmap
   */
  apply(change: StoredChange): void;
  noteStored(key: SetKey, seq: number): void;
}

/** The numbers of videos of which a set or what is shown has changed. */
export type ChangedVideos = Pick<RoaringBitmap32, 'has' | 'size'> & Iterable<number>;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Called before a change is applied; null if any video may be among the changed. */
export type VideosListener = (changed: ChangedVideos | null) => void;

export function createLiveSets(onChange: VideosListener = () => {}): LiveSets {
  const sets = new Map<SetKey, Writable<LiveSet>>();
  let tick = 0;

  function of(key: SetKey): Writable<LiveSet> {
    const known = sets.get(key);
    if (known !== undefined) return known;
    const set = { key, bits: new RoaringBitmap32(), seq: 0, storedSeq: 0, changedAt: 0 };
    sets.set(key, set);
    return set;
  }

  const restricted = new RestrictedSets({
    videosOf: (tag) => of(tag).bits,
    countChange() {
      tick += 1;
      return tick;
    },
  });

  function replace(set: Writable<LiveSet>, bits: RoaringBitmap32): void {
    onChange(null);
    if (typeof set.key === 'number') {
      restricted.note(set.bits);
      restricted.note(bits);
    }
    set.bits.dispose();
    set.bits = bits;
  }

  function touch(set: Writable<LiveSet>, seq: number): void {
    tick += 1;
    set.seq = seq;
    set.changedAt = tick;
  }

  return {
    tick: () => tick,
    of,
    all: () => sets.values(),
    restricted,
    adopt({ key, seq, cardinality, bits }) {
      const set = of(key);
      set.storedSeq = Math.max(set.storedSeq, seq);
      if (seq < set.seq || (seq === set.seq && set.changedAt > 0)) return;
      replace(set, decodeWhole(key, cardinality, bits));
      touch(set, seq);
    },
    apply({ seq, key, op, bits }) {
      const set = of(key);
      if (seq <= set.seq) return;
      if (op === 'replace') replace(set, decodeSet(bits));
      else {
        const change = decodeSet(bits);
        onChange(change);
        if (typeof key === 'number') restricted.note(change);
        combine(set.bits, op, change);
        change.dispose();
      }
      touch(set, seq);
    },
    noteStored(key, seq) {
      const set = of(key);
      set.storedSeq = Math.max(set.storedSeq, seq);
    },
  };
}

function decodeWhole(key: SetKey, cardinality: number, bits: Buffer): RoaringBitmap32 {
  const set = decodeSet(bits);
  if (set.size === cardinality) return set;
  set.dispose();
  throw new Error(`The snapshot of ${key} does not hold ${cardinality} numbers.`);
}

/** Up to this many numbers are changed one by one: operations on whole containers recount them. */
const few = 64;

function combine(set: RoaringBitmap32, op: 'add' | 'remove', change: RoaringBitmap32): void {
  if (change.size > few) {
    if (op === 'add') withoutRuns(set.orInPlace(change));
    else withoutRuns(set.andNotInPlace(change));
  } else {
    for (const number of change.toUint32Array()) {
      if (op === 'add') set.add(number);
      else set.delete(number);
    }
  }
}
