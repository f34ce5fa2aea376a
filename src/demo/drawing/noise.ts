import { mix } from './motion.ts';
import { createRandom } from './seeded.ts';

/** A square of noise, 0..1, that tiles on all sides. `size` is a power of two. */
export type NoiseTile = { readonly size: number; readonly values: Float32Array };

export type NoiseShape = {
  readonly size?: number;
  readonly cells: number;
  readonly octaves: number;
  readonly seed: number;
  readonly gain?: number;
};

/** Sums octaves of smooth lattice noise, each twice as fine as the last; `cells` is the lattice of the first. */
export function createNoiseTile({ size = 256, cells, octaves, seed, gain = 0.5 }: NoiseShape): NoiseTile {
  const values = new Float32Array(size * size);
  for (let octave = 0; octave < octaves; octave++)
    addOctave(values, size, cells * 2 ** octave, gain ** octave, seed + octave * 101);
  stretch(values);
  return { size, values };
}

function addOctave(values: Float32Array, size: number, cells: number, strength: number, seed: number): void {
  const random = createRandom(seed);
  const lattice = Float32Array.from({ length: cells * cells }, random);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const index = y * size + x;
      values[index] =
        (values[index] ?? 0) + strength * readLattice(lattice, cells, (x / size) * cells, (y / size) * cells);
    }
  }
}

function readLattice(lattice: Float32Array, cells: number, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const right = (left + 1) % cells;
  const bottom = (top + 1) % cells;
  const across = soften(x - left);
  const upper = mix(lattice[top * cells + left] ?? 0, lattice[top * cells + right] ?? 0, across);
  const lower = mix(lattice[bottom * cells + left] ?? 0, lattice[bottom * cells + right] ?? 0, across);
  return mix(upper, lower, soften(y - top));
}

function soften(share: number): number {
  return share * share * share * (share * (share * 6 - 15) + 10);
}

function stretch(values: Float32Array): void {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  for (let index = 0; index < values.length; index++) values[index] = ((values[index] ?? 0) - low) / (high - low);
}

/** Reads the tile at any place; one tile is one unit, and it repeats. */
export function sampleTile(tile: NoiseTile, u: number, v: number): number {
  const { size, values } = tile;
  const mask = size - 1;
  const x = u * size;
  const y = v * size;
  const left = Math.floor(x);
  const top = Math.floor(y);
  const column = left & mask;
  const nextColumn = (left + 1) & mask;
  const row = (top & mask) * size;
  const nextRow = ((top + 1) & mask) * size;
  const across = x - left;
  const upper = mix(values[row + column] ?? 0, values[row + nextColumn] ?? 0, across);
  const lower = mix(values[nextRow + column] ?? 0, values[nextRow + nextColumn] ?? 0, across);
  return mix(upper, lower, y - top);
}
