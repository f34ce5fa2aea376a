import { RoaringBitmap32 } from 'roaring-wasm';
import type { RandomBelow } from '../ids.ts';
import { decodeSet, encodeSet } from './bits.ts';
import { computePool } from './compute-pool.ts';
import { drawOther } from './tag-selection.ts';

/** All numbers of a selection, with what tells whether they have changed. */
export interface Drawable {
  readonly numbers: RoaringBitmap32;
  /** The name of the selection. */
  readonly name: string;
  /** The value of `LiveSets.tick` at the last change of a set that they are computed from. */
  readonly changedAt: number;
  /** The present moment, by `clock.elapsed()`, in milliseconds. */
  readonly now: number;
}

/** The known facts about a selection, kept until its numbers change. */
interface Known {
  name: string;
  changedAt: number;
  /** The moment when the numbers were counted. */
  countedAt: number;
  /** How many numbers the round has not seen. */
  unseen: number;
  /** These numbers, once they were computed. */
  left: RoaringBitmap32 | null;
}

/**
 * Above this many numbers a count takes milliseconds; while such a selection changes, it may be up
 * to a second old.
 */
const largeForCounts = 2_000_000;
const largestLagMs = 1_000;
/** Up to this many seen numbers, the library counts faster than all blocks are combined. */
const fewSeen = 50_000;
/** Videos that were marked since the last draw are counted along, up to this many. */
const maxNews = 1_000;
const maxTries = 64;
/** When fewer than one of this many is left, it is computed without trying. */
const sparse = 8;

/**
 * The numbers that a round has seen. They live in WebAssembly memory: whoever creates a round
 * disposes of it.
 */
export class Seen {
  readonly numbers = new RoaringBitmap32();
  private known: Known | null = null;
  private news: number[] = [];

  /** Bytes in memory. */
  get size(): number {
    return sizeOf(this.numbers) + (this.known?.left ? sizeOf(this.known.left) : 0);
  }

  mark(number: number): void {
    if (this.numbers.has(number)) return;
    this.numbers.add(number);
    if (this.known !== null) this.news.push(number);
    if (this.news.length > maxNews) this.forgetKnown();
  }

  markAll(numbers: Uint32Array): void {
    this.numbers.addMany(numbers);
    this.forgetKnown();
  }

  /** Adds the numbers that another one had. */
  markSeen({ numbers }: Seen): void {
    this.numbers.orInPlace(numbers);
    this.forgetKnown();
  }

  /**
   * Adds the numbers that `toBytes` has returned.
   * @throws for bytes that are no bitmap
   */
  addBytes(bits: Uint8Array): void {
    const numbers = decodeSet(bits);
    this.numbers.orInPlace(numbers);
    numbers.dispose();
    this.forgetKnown();
  }

  /** Begins the round again. */
  clear(): void {
    this.numbers.clear();
    this.forgetKnown();
  }

  toBytes(): Buffer {
    return encodeSet(this.numbers);
  }

  dispose(): void {
    this.forgetKnown();
    this.numbers.dispose();
  }

  /** The last count of what a selection has left; null if there is none. */
  lastUnseen(name: string): number | null {
    return this.known?.name === name ? this.known.unseen : null;
  }

  /**
   * Draws a number that was not seen and is not excluded, each with the same chance; null if none
   * is left. `unseen` counts the excluded ones too.
   */
  draw(
    from: Drawable,
    exclude: readonly number[],
    randomBelow: RandomBelow,
  ): { number: number | null; unseen: number } {
    const known = this.count(from);
    const number = this.tryToDraw(from, known, exclude, randomBelow);
    if (number !== null) return { number, unseen: known.unseen };
    const left = this.findLeft(from, known);
    const other = drawOther(left, exclude, randomBelow);
    const isOld = known.changedAt !== from.changedAt;
    // The videos that were left a moment ago may be gone, or not be all.
    if (isOld && (other === null || !from.numbers.has(other))) {
      this.forgetKnown();
      return this.draw(from, exclude, randomBelow);
    }
    return { number: other, unseen: known.unseen };
  }

  private tryToDraw(
    { numbers }: Drawable,
    { left, unseen }: Known,
    exclude: readonly number[],
    randomBelow: RandomBelow,
  ): number | null {
    if (left !== null || unseen * sparse < numbers.size || numbers.isEmpty) return null;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const number = numbers.select(randomBelow(numbers.size));
      if (!this.numbers.has(number) && !exclude.includes(number)) return number;
    }
    return null;
  }

  private count(from: Drawable): Known {
    const { known } = this;
    if (known !== null && isGood(known, from)) {
      this.countNews(from, known);
      return known;
    }
    this.forgetKnown();
    const { numbers, name, changedAt, now } = from;
    const isFew = this.numbers.size <= fewSeen;
    const left = isFew ? null : computeLeft(numbers, this.numbers);
    const unseen = left === null ? numbers.size - numbers.andCardinality(this.numbers) : left.size;
    this.known = { name, changedAt, countedAt: now, unseen, left };
    return this.known;
  }

  private countNews({ numbers }: Drawable, known: Known): void {
    for (const number of this.news) {
      const isGone = known.left === null ? numbers.has(number) : known.left.delete(number);
      if (isGone) known.unseen -= 1;
    }
    this.news = [];
  }

  private findLeft({ numbers, changedAt, now }: Drawable, known: Known): RoaringBitmap32 {
    if (known.left !== null) return known.left;
    known.left = computeLeft(numbers, this.numbers);
    known.unseen = known.left.size;
    known.changedAt = changedAt;
    known.countedAt = now;
    return known.left;
  }

  private forgetKnown(): void {
    this.known?.left?.dispose();
    this.known = null;
    this.news = [];
  }
}

function isGood(known: Known, { numbers, name, changedAt, now }: Drawable): boolean {
  if (known.name !== name) return false;
  if (known.changedAt === changedAt) return true;
  return numbers.size > largeForCounts && now - known.countedAt < largestLagMs;
}

/** Block by block: the library takes tens of milliseconds for two sets of millions. */
function computeLeft(numbers: RoaringBitmap32, seen: RoaringBitmap32): RoaringBitmap32 {
  return computePool({ any: [numbers], all: [], none: [seen] });
}

function sizeOf(numbers: RoaringBitmap32): number {
  return numbers.getSerializationSizeInBytes('portable');
}
