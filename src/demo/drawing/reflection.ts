import type { Sample } from './layer.ts';
import { clamp, mix } from './motion.ts';
import type { Slopes } from './water.ts';
import { sampleSlopes } from './water.ts';

/**
 * Water seen at a slant: `focal` sets how fast it runs away, `near` and `far` how much the slopes pull the mirror about
 * (sideways, up and down).
 */
export type Mirror = {
  readonly focal: number;
  readonly tile: number;
  readonly sideways: readonly [number, number];
  readonly upright: readonly [number, number];
  readonly light: readonly [number, number];
  readonly depth: number;
  readonly tint: readonly [number, number, number];
};

/**
 * Shades water that mirrors what stands above the shore: far ripples stretch lights into streaks. Rows count down from
 * the shore.
 */
export function shadeMirror(
  above: ImageData,
  levels: readonly Slopes[],
  mirror: Mirror,
): (x: number, row: number, out: Sample) => void {
  const slope: [number, number] = [0, 0];
  const { focal, tile, sideways, upright, light, depth, tint } = mirror;
  return (x, row, out) => {
    const drop = row + 1.5;
    const far = focal / drop;
    const level = levels[Math.round(clamp(Math.log2(far * far * 0.045), 0, 4))] ?? levels[0];
    if (!level) return;
    const across = ((x - above.width / 2) / focal) * far;
    sampleSlopes(level, across / tile, far / tile, slope);
    let [slopeX, slopeZ] = slope;
    sampleSlopes(level, (across + far * 0.5) / (tile * 2.43), (far - across * 0.5) / (tile * 2.43), slope);
    slopeX += slope[0];
    slopeZ += slope[1];
    readMirrored(
      above,
      x + slopeX * (sideways[0] + drop * sideways[1]),
      drop * 1.05 + slopeZ * (upright[0] + drop * upright[1]),
      out,
    );
    const shade = mix(light[0], light[1], drop / depth) * (1 + slopeZ * 0.16);
    out[0] = out[0] * shade + tint[0];
    out[1] = out[1] * shade + tint[1];
    out[2] = out[2] * shade + tint[2];
  };
}

/** Averages a few places one above the other, wider apart the higher up, as ripples do. */
function readMirrored({ data, width, height }: ImageData, x: number, rise: number, out: Sample): void {
  const column = Math.round(clamp(Math.abs(x), 0, width - 1));
  const reach = 1.2 + rise * 0.03;
  out[0] = out[1] = out[2] = 0;
  for (let tap = -2; tap <= 2; tap++) {
    const row = Math.round(clamp(height - 1 - Math.abs(rise + tap * reach), 0, height - 1));
    const index = (row * width + column) * 4;
    out[0] += (data[index] ?? 0) * 0.21;
    out[1] += (data[index + 1] ?? 0) * 0.21;
    out[2] += (data[index + 2] ?? 0) * 0.21;
  }
}
