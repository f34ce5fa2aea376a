import type { ComplexSquare } from './fourier.ts';
import { createComplexSquare, transformSquare } from './fourier.ts';
import { createRandom, drawBell } from './seeded.ts';

/**
 * How steep the water is at each place of a tile, across (x) and away (z); `levels` are the same at half, quarter… the
 * detail.
 */
export type Slopes = { readonly size: number; readonly x: Float32Array; readonly z: Float32Array };

export type WaterShape = {
  readonly size?: number;
  readonly seed: number;
  /** Waves longer than this many per tile are left out. */
  readonly longest: number;
  /** How much finer waves still show: greater is smoother. */
  readonly fall: number;
  /** Direction the wind blows to, in radians: 0 across, π/2 towards the horizon. */
  readonly wind: number;
  /** Times that the longest wave passes in the loop. */
  readonly pace: number;
};

type Wave = {
  readonly k: number;
  readonly kx: number;
  readonly kz: number;
  readonly cycles: number;
  readonly real: number;
  readonly imaginary: number;
};

/**
 * Open water as a sum of waves (Tessendorf, "Simulating Ocean Water"). Each wave passes a whole number of times in the
 * loop, so the sea returns to its start. Answers the slopes at `t`, with levels of less detail for far away.
 */
export function createWater(shape: WaterShape): (t: number) => Slopes[] {
  const size = shape.size ?? 256;
  const waves = listWaves(shape, size);
  const square = createComplexSquare(size);
  const strength = 1 / measureSteepness(waves);
  return (t) => {
    spreadWaves(square, waves, t, strength);
    transformSquare(square);
    return listLevels({ size, x: Float32Array.from(square.real), z: Float32Array.from(square.imaginary) });
  };
}

function listWaves(shape: WaterShape, size: number): Wave[] {
  const random = createRandom(shape.seed);
  const waves: Wave[] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const kx = column < size / 2 ? column : column - size;
      const kz = row < size / 2 ? row : row - size;
      const height = weighWave(shape, kx, kz, size);
      const real = drawBell(random) * height;
      const imaginary = drawBell(random) * height;
      if (height > 1e-9)
        waves.push({ k: row * size + column, kx, kz, cycles: countCycles(shape, Math.hypot(kx, kz)), real, imaginary });
    }
  }
  return waves;
}

function weighWave({ longest, fall, wind }: WaterShape, kx: number, kz: number, size: number): number {
  const length = Math.hypot(kx, kz);
  if (length < longest || length > size * 0.42) return 0;
  const along = (kx * Math.cos(wind) + kz * Math.sin(wind)) / length;
  const spread = along > 0 ? 0.15 + along * along : 0.08;
  return spread * length ** -fall;
}

function countCycles({ pace, longest }: WaterShape, length: number): number {
  return Math.max(1, Math.round(pace * Math.sqrt(length / longest)));
}

function measureSteepness(waves: readonly Wave[]): number {
  return (
    Math.sqrt(
      waves.reduce(
        (sum, { kx, kz, real, imaginary }) => sum + (kx * kx + kz * kz) * (real * real + imaginary * imaginary),
        0,
      ) / 2,
    ) || 1
  );
}

/** Lays each wave and its mirror so that one transform gives x slopes as real and z slopes as imaginary part. */
function spreadWaves(
  { size, real, imaginary }: ComplexSquare,
  waves: readonly Wave[],
  t: number,
  strength: number,
): void {
  real.fill(0);
  imaginary.fill(0);
  for (const { kx, kz, cycles, real: a, imaginary: b } of waves) {
    const turn = -Math.PI * 2 * cycles * t;
    const heightReal = strength * 0.5 * (a * Math.cos(turn) - b * Math.sin(turn));
    const heightImaginary = strength * 0.5 * (a * Math.sin(turn) + b * Math.cos(turn));
    addSlope(real, imaginary, place(size, kx, kz), kx, kz, heightReal, heightImaginary);
    addSlope(real, imaginary, place(size, -kx, -kz), -kx, -kz, heightReal, -heightImaginary);
  }
}

function place(size: number, kx: number, kz: number): number {
  return ((kz + size) % size) * size + ((kx + size) % size);
}

function addSlope(
  real: Float64Array,
  imaginary: Float64Array,
  index: number,
  kx: number,
  kz: number,
  heightReal: number,
  heightImaginary: number,
): void {
  real[index] = (real[index] ?? 0) - kx * heightImaginary - kz * heightReal;
  imaginary[index] = (imaginary[index] ?? 0) + kx * heightReal - kz * heightImaginary;
}

function listLevels(full: Slopes): Slopes[] {
  const levels = [full];
  for (let last = full; last.size > 8; last = levels[levels.length - 1] ?? full) levels.push(halveSlopes(last));
  return levels;
}

function halveSlopes({ size, x, z }: Slopes): Slopes {
  const half = size / 2;
  const smaller = { size: half, x: new Float32Array(half * half), z: new Float32Array(half * half) };
  for (let row = 0; row < half; row++) {
    for (let column = 0; column < half; column++) {
      const from = row * 2 * size + column * 2;
      smaller.x[row * half + column] = averageFour(x, from, size);
      smaller.z[row * half + column] = averageFour(z, from, size);
    }
  }
  return smaller;
}

function averageFour(values: Float32Array, from: number, size: number): number {
  return (
    ((values[from] ?? 0) + (values[from + 1] ?? 0) + (values[from + size] ?? 0) + (values[from + size + 1] ?? 0)) / 4
  );
}

/** Reads slopes at any place, one tile being one unit; writes x and z slope into `out`. */
export function sampleSlopes({ size, x, z }: Slopes, u: number, v: number, out: [number, number]): void {
  const mask = size - 1;
  const across = u * size;
  const away = v * size;
  const left = Math.floor(across);
  const near = Math.floor(away);
  const shareX = across - left;
  const shareZ = away - near;
  const row = (near & mask) * size;
  const nextRow = ((near + 1) & mask) * size;
  const a = row + (left & mask);
  const b = row + ((left + 1) & mask);
  const c = nextRow + (left & mask);
  const d = nextRow + ((left + 1) & mask);
  const weightA = (1 - shareX) * (1 - shareZ);
  const weightB = shareX * (1 - shareZ);
  const weightC = (1 - shareX) * shareZ;
  const weightD = shareX * shareZ;
  out[0] = (x[a] ?? 0) * weightA + (x[b] ?? 0) * weightB + (x[c] ?? 0) * weightC + (x[d] ?? 0) * weightD;
  out[1] = (z[a] ?? 0) * weightA + (z[b] ?? 0) * weightB + (z[c] ?? 0) * weightC + (z[d] ?? 0) * weightD;
}
