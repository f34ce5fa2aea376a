import { RoaringBitmap32 } from 'roaring-wasm';
import { decodeSet, withoutRuns } from '../bits.ts';
import { Block } from '../block.ts';
import type { Containers } from '../containers.ts';
import { blockLength, ContainerWriter, readContainers } from '../containers.ts';
import type { Pool } from './sample.ts';

/** Most numbers that `any` may hold in a block, on average, for the pool to count as sparse. */
const sparseBlock = 2_500;

/**
 * All numbers of a pool, as a set that belongs to the caller. The library is fast while few numbers are left to look
 * at, and about ten times slower than a plain loop where two dense sets meet.
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

/** Block by block, so that what is worked on stays in the processor's cache whatever the size of the library. */
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

/** One for all: nothing here waits for anything, so nobody else is in the middle of using it. */
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
