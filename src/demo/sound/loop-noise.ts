import { smoothstep } from '../drawing/motion.ts';
import { createRandom } from '../drawing/seeded.ts';

export const SAMPLE_RATE = 48_000;

/** One channel of sound whose end meets its start. */
export type Loop = Float32Array;

export function createNoise(length: number, seed: number): Loop {
  const random = createRandom(seed);
  return Float32Array.from({ length }, () => random() * 2 - 1);
}

/** Takes away what is higher than `frequency` (Hz), twice over for a softer slope. */
export function keepLow(loop: Loop, frequency: number): Loop {
  return smooth(smooth(loop, frequency), frequency);
}

/** Takes away what is lower than `frequency` (Hz). */
export function keepHigh(loop: Loop, frequency: number): Loop {
  const low = smooth(loop, frequency);
  return loop.map((value, index) => value - (low[index] ?? 0));
}

export function keepBand(loop: Loop, low: number, high: number): Loop {
  return keepHigh(keepLow(loop, high), low);
}

/**
 * Goes round the loop twice and keeps the second round: by then the filter has forgotten that there was a beginning, so
 * the seam is smooth.
 */
function smooth(loop: Loop, frequency: number): Loop {
  const share = 1 - Math.exp((-2 * Math.PI * frequency) / SAMPLE_RATE);
  const result = new Float32Array(loop.length);
  let value = 0;
  for (let step = 0; step < loop.length * 2; step++) {
    const index = step % loop.length;
    value += share * ((loop[index] ?? 0) - value);
    result[index] = value;
  }
  return result;
}

/** Brings the loop to this loudness (root mean square). */
export function level(loop: Loop, loudness: number): Loop {
  const present = Math.sqrt(loop.reduce((sum, value) => sum + value * value, 0) / loop.length) || 1;
  return loop.map((value) => (value * loudness) / present);
}

/** Shapes the loudness over the loop; `shape` is given 0..1 and must end where it starts. */
export function swell(loop: Loop, shape: (t: number) => number): Loop {
  return loop.map((value, index) => value * shape(index / loop.length));
}

export function addLoops(...loops: readonly Loop[]): Loop {
  const [first = new Float32Array(0), ...others] = loops;
  return first.map((value, index) => others.reduce((sum, loop) => sum + (loop[index] ?? 0), value));
}

/**
 * Softens this many seconds at both ends. The AAC encoder knows nothing of the loop and starts from silence:
 * without this its first samples are off and click when the clip starts again.
 */
export function roundEnds(loop: Loop, seconds: number): Loop {
  const edge = seconds * SAMPLE_RATE;
  return loop.map((value, index) => value * smoothstep(0, edge, Math.min(index, loop.length - 1 - index)));
}
