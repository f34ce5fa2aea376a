import { RoaringBitmap32 } from 'roaring-wasm';
import { blockBytes, readContainers, withoutRuns } from '../../id-sets/bits.ts';

/** The position of a video in the order: by its key, and newest first for equal keys. */
export interface OrderPlace {
  /** A text by which videos are sorted, such as a name in the form of `nameKey`. */
  key: string;
  number: number;
}

/** A new position: in a chunk, before one of the videos of `OrderChunks.videosOf`. */
export interface Insertion {
  place: OrderPlace;
  chunk: number;
  index: number;
}

interface Chunk {
  /** The lower bound of the chunk, which is above all earlier chunks. Null for the first chunk. */
  from: OrderPlace | null;
  numbers: Uint32Array;
}

/** A longer chunk is divided. */
const maxChunkLength = 512;

/**
 * Video numbers in the order of their keys, without the keys: four bytes per video. One key in
 * some hundreds is kept, as the bound between two chunks.
 */
export class OrderChunks {
  private chunks: Chunk[] = [{ from: null, numbers: new Uint32Array() }];
  private readonly placed = new RoaringBitmap32();

  /** @param sorted all positions, in order */
  fill(sorted: { keys: readonly string[]; numbers: Uint32Array }): void {
    this.clear();
    const half = maxChunkLength / 2;
    for (let from = 0; from < sorted.numbers.length; from += half) {
      const numbers = sorted.numbers.slice(from, from + half);
      const place = { key: sorted.keys[from] ?? '', number: numbers[0] ?? 0 };
      this.chunks.push({ from: place, numbers });
    }
    const [, first] = this.chunks;
    if (first !== undefined) this.chunks.splice(0, 2, { ...first, from: null });
    this.placed.addMany(sorted.numbers);
    withoutRuns(this.placed);
  }

  clear(): void {
    this.chunks = [{ from: null, numbers: new Uint32Array() }];
    this.placed.clear();
  }

  /** The chunk that contains a position. */
  findChunk(place: OrderPlace): number {
    let [low, high] = [0, this.chunks.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      const from = this.chunks[middle]?.from ?? null;
      if (from === null || comparePlaces(from, place) <= 0) low = middle;
      else high = middle;
    }
    return low;
  }

  videosOf(chunk: number, isLeftOut: (number: number) => boolean): number[] {
    return [...(this.chunks[chunk]?.numbers ?? [])].filter((number) => !isLeftOut(number));
  }

  /**
   * @param gone videos that leave the order or move in it
   * @param insertions in order, each before one of the remaining videos of its chunk
   * @param keys keys of some of the videos, at one of which a chunk is divided
   */
  replace(gone: ReadonlySet<number>, insertions: readonly Insertion[], keys: ReadonlyMap<number, string>): void {
    const byChunk = Map.groupBy(insertions, ({ chunk }) => chunk);
    const leaving = new Set([...gone].filter((number) => this.placed.has(number)));
    const isLeaving = leaving.size > 0 ? toTest(leaving) : () => false;
    this.chunks = this.chunks.flatMap((chunk, at) => {
      const added = byChunk.get(at);
      const isTouched = added !== undefined || (leaving.size > 0 && chunk.numbers.some(isLeaving));
      if (!isTouched) return [chunk];
      const numbers = merge(this.videosOf(at, isLeaving), added ?? []);
      return numbers.length === 0 && at > 0 ? [] : divide({ from: chunk.from, numbers }, keys);
    });
    for (const number of leaving) this.placed.delete(number);
    for (const { place } of insertions) this.placed.add(place.number);
  }

  /** A page of some videos in order. Videos without a position come last, newest first. */
  page(videos: RoaringBitmap32, offset: number, limit: number): number[] {
    const unplaced = videos.andNotCardinality(this.placed);
    const ordered = videos.size - unplaced;
    const end = Math.min(ordered, offset + limit);
    const page = offset >= ordered ? [] : this.pageOfPlaced(videos, ordered, offset, end);
    const left = limit - page.length;
    return unplaced === 0 || left === 0
      ? page
      : [...page, ...this.pageOfOthers(videos, Math.max(0, offset - ordered), left)];
  }

  /**
   * Walks the whole order from the nearer end: about a millisecond for half a million positions.
   */
  private pageOfPlaced(videos: RoaringBitmap32, ordered: number, start: number, end: number): number[] {
    const bits = writeBits(videos);
    if (start <= ordered - end) return this.walk(bits, start, end - start);
    return this.walkBack(bits, ordered - end, end - start).reverse();
  }

  private walk(bits: Uint32Array, skipped: number, length: number): number[] {
    const found: number[] = [];
    let left = skipped;
    for (const { numbers } of this.chunks)
      for (let at = 0; at < numbers.length; at += 1) {
        const number = numbers[at] ?? 0;
        if (!hasBit(bits, number)) continue;
        if (left > 0) left -= 1;
        else found.push(number);
        if (found.length === length) return found;
      }
    return found;
  }

  private walkBack(bits: Uint32Array, skipped: number, length: number): number[] {
    const found: number[] = [];
    let left = skipped;
    for (let chunk = this.chunks.length - 1; chunk >= 0; chunk -= 1) {
      const numbers = this.chunks[chunk]?.numbers ?? new Uint32Array();
      for (let at = numbers.length - 1; at >= 0; at -= 1) {
        const number = numbers[at] ?? 0;
        if (!hasBit(bits, number)) continue;
        if (left > 0) left -= 1;
        else found.push(number);
        if (found.length === length) return found;
      }
    }
    return found;
  }

  private pageOfOthers(videos: RoaringBitmap32, offset: number, limit: number): number[] {
    const others = RoaringBitmap32.andNot(videos, this.placed);
    const numbers = others.toArray().reverse();
    others.dispose();
    return numbers.slice(offset, offset + limit);
  }
}

export function comparePlaces(a: OrderPlace, b: OrderPlace): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return b.number - a.number;
}

function merge(numbers: readonly number[], insertions: readonly Insertion[]): Uint32Array {
  const merged = new Uint32Array(numbers.length + insertions.length);
  let [from, to] = [0, 0];
  for (const { place, index } of insertions) {
    while (from < index) merged[to++] = numbers[from++] ?? 0;
    merged[to++] = place.number;
  }
  while (from < numbers.length) merged[to++] = numbers[from++] ?? 0;
  return merged;
}

/** Halves the chunk recursively, at the video nearest to the middle whose key is known. */
function divide(chunk: Chunk, keys: ReadonlyMap<number, string>): Chunk[] {
  const { from, numbers } = chunk;
  if (numbers.length <= maxChunkLength) return [chunk];
  const middle = numbers.length >>> 1;
  for (let away = 0; away < middle; away += 1)
    for (const at of [middle + away, middle - away]) {
      const number = numbers[at] ?? 0;
      const key = keys.get(number);
      if (key === undefined) continue;
      return [
        ...divide({ from, numbers: numbers.slice(0, at) }, keys),
        ...divide({ from: { key, number }, numbers: numbers.slice(at) }, keys),
      ];
    }
  return [chunk];
}

/** A bit set, which is faster than asking a `Set` for each video of the library. */
function toTest(numbers: ReadonlySet<number>): (number: number) => boolean {
  const bits = new Uint32Array((Math.max(...numbers) >>> 5) + 1);
  for (const number of numbers) bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
  return (number) => hasBit(bits, number);
}

/** Shared by all calls, because they are synchronous. 128 KiB for a million videos. */
let scratch = new Uint32Array();

/** One bit per number. Testing a bit takes a nanosecond, calling WebAssembly ten. */
function writeBits(videos: RoaringBitmap32): Uint32Array {
  const blocks = (videos.maximum() >>> 16) + 1;
  const length = (blocks * blockBytes) / 4;
  if (scratch.length < length) scratch = new Uint32Array(length);
  const bits = scratch.subarray(0, length).fill(0);
  const bytes = new Uint8Array(bits.buffer);
  readContainers([videos], ([containers]) => {
    if (containers === undefined) return;
    for (const block of containers.blocks) {
      const container = containers.at(block);
      if (container.kind === 'words') bytes.set(container.bytes, block * blockBytes);
      else if (container.kind === 'values')
        for (const value of container.values) {
          const word = (block * blockBytes) / 4 + (value >>> 5);
          bits[word] = (bits[word] ?? 0) | (1 << (value & 31));
        }
    }
  });
  return bits;
}

function hasBit(bits: Uint32Array, number: number): boolean {
  return ((bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
}
