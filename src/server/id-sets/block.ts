import type { FilledContainer, SetContainer } from './containers.ts';
import { blockBytes } from './containers.ts';

const wordCount = blockBytes / 4;

/**
 * 65,536 neighbouring numbers as bits, small enough to stay in the processor's first cache while sets are combined in
 * it.
 */
export class Block {
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

  /** A container of bits may begin at any even byte, words only at every fourth. */
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

/** Adds up neighbouring bits in parallel: pairs, fours, bytes, and the bytes by one multiplication. */
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
