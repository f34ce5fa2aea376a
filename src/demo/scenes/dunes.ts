import { createVignette } from '../drawing/glow.ts';
import type { Sample } from '../drawing/layer.ts';
import { createPixels, shadePixels } from '../drawing/layer.ts';
import { mix, smoothstep, wave } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import type { Scene } from '../scene.ts';
import type { DuneMap } from './dune-map.ts';
import { createDuneMap } from './dune-map.ts';

const WIDTH = 960;
const HEIGHT = 540;
const SUN_X = 376;
const SUN_Y = 106;

const streams = createNoiseTile({ size: 256, cells: 4, octaves: 5, seed: 61 });
const shadows = createNoiseTile({ size: 256, cells: 2, octaves: 3, seed: 18 });

function addSky(x: number, y: number, t: number, out: Sample): void {
  const fall = smoothstep(0, 250, y);
  const glow = Math.exp(-Math.hypot(x - SUN_X, (y - SUN_Y) * 1.05) / 120);
  const disc = smoothstep(25, 21, Math.hypot(x - SUN_X, y - SUN_Y));
  const veil = sampleTile(streams, x * 0.0005 + t, y * 0.0042) - 0.5;
  const dust = veil * 20 * smoothstep(60, 240, y);
  out[0] = mix(118, 250, fall) + 90 * glow + 60 * disc + dust;
  out[1] = mix(128, 196, fall) + 62 * glow + 90 * disc + dust * 0.8;
  out[2] = mix(166, 140, fall) + 8 * glow + 120 * disc + dust * 0.5;
}

/** Sand runs over the ground in streamers along the wind, thickest on the crests and further away. */
function findStream(map: DuneMap, index: number, t: number): number {
  const along = map.along[index] ?? 0;
  const across = map.across[index] ?? 0;
  const wide = sampleTile(streams, along * 0.012 - t * 2, across * 0.09 + 0.02 * wave(t, 1));
  const fine = sampleTile(streams, along * 0.03 - t * 4, across * 0.27 + 0.4);
  return smoothstep(0.52, 0.86, wide * 0.62 + fine * 0.42) * (map.exposure[index] ?? 0);
}

function paintDesert(map: DuneMap, t: number): (x: number, y: number, out: Sample) => void {
  return (x, y, out) => {
    const index = y * WIDTH + x;
    const haze = map.haze[index] ?? 1;
    addSky(x, y, t, out);
    if (haze >= 1) return;
    const shade =
      0.74 +
      0.26 *
        smoothstep(
          0.36,
          0.62,
          sampleTile(shadows, (map.along[index] ?? 0) * 0.0042 - t, (map.across[index] ?? 0) * 0.005),
        );
    const stream = findStream(map, index, t) * 0.5;
    const mistColor = 1 - haze;
    out[0] = mix(out[0], mix((map.red[index] ?? 0) * shade, 255, stream), mistColor);
    out[1] = mix(out[1], mix((map.green[index] ?? 0) * shade, 206, stream), mistColor);
    out[2] = mix(out[2], mix((map.blue[index] ?? 0) * shade, 150, stream), mistColor);
  };
}

export const dunes: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const map = createDuneMap(WIDTH, HEIGHT);
    const frame = createPixels(WIDTH, HEIGHT);
    const vignette = createVignette(WIDTH, HEIGHT, 0.42);
    return (brush, t) => {
      brush.drawImage(shadePixels(frame, paintDesert(map, t)).canvas, 0, 0);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
