import { RoaringBitmap32 } from 'roaring-wasm';
import type { Containers, FilledContainer, SetContainer } from './bits.ts';
import { blockBytes, blockLength, ContainerWriter, decodeSet, readContainers, withoutRuns } from './bits.ts';
import type { Pool } from './tag-selection.ts';

/** A pool is sparse if the sets of `any` hold at most this many numbers per block, on average. */
const sparseBlock = 2_500;

/**
 * Computes all numbers of a pool, as a set that belongs to the caller. The library is fast for
 * sparse sets, and about ten times slower than a plain loop for two dense ones.
 */
export function computePool(pool: Pool<RoaringBitmap32>): RoaringBitmap32 {
  const places = pool.any.reduce((sum, set) => sum + set.size, 0);
  const highest = pool.any.reduce((most, set) => (set.isEmpty ? most : Math.max(most, set.maximum())), 0);
  return places <= sparseBlock * (1 + highest / blockLength) ? computeSparse(pool) : computeDense(pool);
}

export function computeSparse({ any, all, none }: Pool<RoaringBitmap32>): RoaringBitmap32 {
  const numbers = new RoaringBitmap32(any[0]);
  for (const set of any.slice(1)) numbers.orInPlace(set);
  for (const set of all) numbers.andInPlace(set);
  for (const set of none) numbers.andNotInPlace(set);
  return withoutRuns(numbers);
}

/** Computes block by block, so that the data fits into the processor's cache. */
export function computeDense({ any, all, none }: Pool<RoaringBitmap32>): RoaringBitmap32 {
  return readContainers([...any, ...all, ...none], (containers) => {
    const parts: Parts = {
      any: containers.slice(0, any.length),
      all: containers.slice(any.length, any.length + all.length),
      none: containers.slice(any.length + all.length),
    };
    return decodeSet(writeNumbers(parts));
  });
}

interface Parts {
  any: readonly Containers[];
  all: readonly Containers[];
  none: readonly Containers[];
}

const wordCount = blockBytes / 4;

/**
 * 65,536 consecutive numbers as bits, small enough to stay in the processor's first-level cache
 * while sets are combined.
 */
class Block {
  readonly #bits = new Uint32Array(wordCount);
  readonly #bytes = new Uint8Array(this.#bits.buffer);
  readonly #other = new Uint32Array(wordCount);
  readonly #otherBytes = new Uint8Array(this.#other.buffer);
  #isClear = true;

  clear(): void {
    this.#bits.fill(0);
    this.#isClear = true;
  }

  add(container: SetContainer): void {
    if (container.kind === 'none') return;
    if (container.kind === 'values') setBits(this.#bits, container.values);
    else if (this.#isClear) this.#bytes.set(container.bytes);
    else addWords(this.#bits, this.#load(container));
    this.#isClear = false;
  }

  remove(container: SetContainer): void {
    if (container.kind === 'values') clearBits(this.#bits, container.values);
    else if (container.kind === 'words') removeWords(this.#bits, this.#load(container));
  }

  keep(container: SetContainer): void {
    if (container.kind === 'none') this.clear();
    else keepWords(this.#bits, this.#load(container));
  }

  count(): number {
    return countBits(this.#bits);
  }

  copyTo(container: FilledContainer): void {
    if (container.kind === 'words') container.bytes.set(this.#bytes);
    else listValues(this.#bits, container.values);
  }

  /** Copies the bits: containers are aligned to 2 bytes, but words need 4. */
  #load(container: SetContainer): Uint32Array {
    if (container.kind === 'words') {
      this.#otherBytes.set(container.bytes);
      return this.#other;
    }
    this.#other.fill(0);
    if (container.kind === 'values') setBits(this.#other, container.values);
    return this.#other;
  }
}

/** Shared by all computations, which are synchronous and thus never overlap. */
const block = new Block();

function writeNumbers(parts: Parts): Uint8Array {
  const numbers = new Set(parts.any.flatMap((containers) => [...containers.blocks]));
  const writer = new ContainerWriter(numbers.size);
  for (const number of [...numbers].sort((a, b) => a - b)) {
    fill(number, parts);
    const count = block.count();
    if (count > 0) block.copyTo(writer.add(number, count));
  }
  return writer.finish();
}

function fill(number: number, { any, all, none }: Parts): void {
  block.clear();
  for (const containers of any) block.add(containers.at(number));
  for (const containers of all) block.keep(containers.at(number));
  for (const containers of none) block.remove(containers.at(number));
}

function setBits(bits: Uint32Array, values: Uint16Array): void {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    bits[value >>> 5] = (bits[value >>> 5] ?? 0) | (1 << (value & 31));
  }
}

function clearBits(bits: Uint32Array, values: Uint16Array): void {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    bits[value >>> 5] = (bits[value >>> 5] ?? 0) & ~(1 << (value & 31));
  }
}

function addWords(bits: Uint32Array, other: Uint32Array): void {
  for (let index = 0; index < wordCount; index += 1) bits[index] = (bits[index] ?? 0) | (other[index] ?? 0);
}

function removeWords(bits: Uint32Array, other: Uint32Array): void {
  for (let index = 0; index < wordCount; index += 1) bits[index] = (bits[index] ?? 0) & ~(other[index] ?? 0);
}

function keepWords(bits: Uint32Array, other: Uint32Array): void {
  for (let index = 0; index < wordCount; index += 1) bits[index] = (bits[index] ?? 0) & (other[index] ?? 0);
}

/** Counts bits in parallel: by pairs, fours and bytes, and adds the bytes by one multiplication. */
function countBits(bits: Uint32Array): number {
  let count = 0;
  for (let index = 0; index < wordCount; index += 1) {
    let word = bits[index] ?? 0;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

function listValues(bits: Uint32Array, values: Uint16Array): void {
  let length = 0;
  for (let index = 0; length < values.length; index += 1) {
    for (let word = bits[index] ?? 0; word !== 0; word &= word - 1) {
      values[length] = index * 32 + 31 - Math.clz32(word & -word);
      length += 1;
    }
  }
}
