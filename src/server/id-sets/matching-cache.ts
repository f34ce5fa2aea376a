import type { RoaringBitmap32 } from 'roaring-wasm';
import type { Clock } from '../clock.ts';
import { computePool } from './compute-pool.ts';
import type { LiveSet, LiveSets } from './live-sets.ts';
import type { TagSelection } from './tag-selection.ts';
import { nameSelection, poolOf, sourcesOf } from './tag-selection.ts';

/** All available videos of a selection, as they were when it was computed. */
export interface Matching {
  readonly numbers: RoaringBitmap32;
  /** False once a set that it was made from has changed. */
  readonly isFresh: boolean;
  readonly ageMs: number;
}

/** The selections that were asked for last. The sets belong to the cache: they are to be used at once and not kept. */
export interface MatchingCache {
  /** As it is known, if it is. */
  find(selection: TagSelection): Matching | undefined;
  /** As it is now. */
  read(selection: TagSelection): RoaringBitmap32;
  dispose(): void;
}

interface Entry {
  numbers: RoaringBitmap32;
  sources: readonly LiveSet[];
  bytes: number;
  /** Nothing had changed at this tick of the live sets. */
  tick: number;
  computedAt: number;
}

const mostEntries = 256;
/** A selection of a million videos is 128 KiB, one of ten millions 1.2 MiB. */
const mostBytes = 32 * 1_048_576;

export function createMatchingCache(sets: LiveSets, clock: Clock): MatchingCache {
  /** The one that was used last stands last. */
  const entries = new Map<string, Entry>();
  let bytes = 0;

  function find(name: string): Entry | undefined {
    const entry = entries.get(name);
    if (entry === undefined) return undefined;
    entries.delete(name);
    entries.set(name, entry);
    return entry;
  }

  function isFresh(entry: Entry): boolean {
    const tick = sets.tick();
    if (entry.tick === tick) return true;
    if (entry.sources.some((source) => source.changedAt > entry.tick)) return false;
    entry.tick = tick;
    return true;
  }

  function read(selection: TagSelection): RoaringBitmap32 {
    const name = nameSelection(selection);
    const known = find(name);
    if (known !== undefined && isFresh(known)) return known.numbers;
    const numbers = compute(selection);
    forget(name);
    const entry = {
      numbers,
      sources: sourcesOf(sets, selection),
      bytes: numbers.getSerializationSizeInBytes('portable'),
      tick: sets.tick(),
      computedAt: clock.elapsed(),
    };
    entries.set(name, entry);
    bytes += entry.bytes;
    makeRoom();
    return numbers;
  }

  /** All filters of one viewer share the blocklist, so what it leaves is kept as a selection of its own. */
  function compute(selection: TagSelection): RoaringBitmap32 {
    const hasBoth = selection.tags.length > 0 && selection.blocked.length > 0;
    const allowed = hasBoth ? read({ tags: [], mode: 'OR', blocked: selection.blocked }) : undefined;
    return computePool(poolOf(sets, selection, allowed));
  }

  function forget(name: string): void {
    const entry = entries.get(name);
    if (entry === undefined) return;
    entries.delete(name);
    bytes -= entry.bytes;
    entry.numbers.dispose();
  }

  /** The newest stays, whatever its size. */
  function makeRoom(): void {
    for (const name of entries.keys()) {
      if (entries.size === 1 || (entries.size <= mostEntries && bytes <= mostBytes)) return;
      forget(name);
    }
  }

  return {
    find(selection) {
      const entry = find(nameSelection(selection));
      return entry && { numbers: entry.numbers, isFresh: isFresh(entry), ageMs: clock.elapsed() - entry.computedAt };
    },
    read,
    dispose() {
      for (const name of [...entries.keys()]) forget(name);
    },
  };
}
