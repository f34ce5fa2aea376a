import type { RoaringBitmap32 } from 'roaring-wasm';
import type { Clock } from '../../clock.ts';
import type { LiveSet, LiveSets } from '../live-sets.ts';
import { computePool } from './compute-pool.ts';
import type { TagSelection } from './tag-selection.ts';
import { isEverything, nameSelection, poolOf, sourcesOf } from './tag-selection.ts';

/** All available videos of a selection, as they were when it was computed. */
export interface Matching {
  readonly numbers: RoaringBitmap32;
  /** False once a set that it was made from has changed. */
  readonly isFresh: boolean;
  readonly ageMs: number;
}

interface Entry {
  numbers: RoaringBitmap32;
  sources: readonly LiveSet[];
  bytes: number;
  /** Nothing had changed at this tick of the live sets. */
  tick: number;
  computedAt: number;
}

const maxEntries = 256;
/** A selection of a million videos is 128 KiB, one of ten millions 1.2 MiB. */
const maxBytes = 32 * 1_048_576;

/** The selections that were asked for last. The sets belong to the cache: they are to be used at once and not kept. */
export class MatchingCache {
  private readonly sets: LiveSets;
  private readonly clock: Clock;
  /** The one that was used last stands last. */
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(sets: LiveSets, clock: Clock) {
    this.sets = sets;
    this.clock = clock;
  }

  /** As it is known, if it is. */
  find(selection: TagSelection): Matching | undefined {
    const entry = this.touch(nameSelection(selection));
    return (
      entry && { numbers: entry.numbers, isFresh: this.isFresh(entry), ageMs: this.clock.elapsed() - entry.computedAt }
    );
  }

  /** As it is now. */
  read(selection: TagSelection): RoaringBitmap32 {
    const name = nameSelection(selection);
    const known = this.touch(name);
    if (known !== undefined && this.isFresh(known)) return known.numbers;
    const numbers = this.compute(selection);
    this.forget(name);
    const entry = {
      numbers,
      sources: sourcesOf(this.sets, selection),
      bytes: numbers.getSerializationSizeInBytes('portable'),
      tick: this.sets.tick(),
      computedAt: this.clock.elapsed(),
    };
    this.entries.set(name, entry);
    this.bytes += entry.bytes;
    this.makeRoom();
    return numbers;
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

  /** All filters of one viewer share blocklist and device, so what these leave is a selection of its own. */
  private compute(selection: TagSelection): RoaringBitmap32 {
    const { tags, blocked, lacks } = selection;
    const shared: TagSelection = { tags: [], mode: 'OR', blocked, ...(lacks && { lacks }) };
    const allowed = tags.length > 0 && !isEverything(shared) ? this.read(shared) : undefined;
    return computePool(poolOf(this.sets, selection, allowed));
  }

  private forget(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    this.entries.delete(name);
    this.bytes -= entry.bytes;
    entry.numbers.dispose();
  }

  /** The newest stays, whatever its size. */
  private makeRoom(): void {
    for (const name of this.entries.keys()) {
      if (this.entries.size === 1 || (this.entries.size <= maxEntries && this.bytes <= maxBytes)) return;
      this.forget(name);
    }
  }
}
