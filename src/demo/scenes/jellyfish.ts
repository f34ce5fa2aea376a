import { createRamp, findStep } from '../drawing/color.ts';
import { createGlow, createVignette, drawGlow } from '../drawing/glow.ts';
import type { Layer, Sample } from '../drawing/layer.ts';
import { createBlurred, createLayer, createPixels, shadePixels } from '../drawing/layer.ts';
import { fadeInOut, mix, smoothstep, wave, wrap } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';
import type { Brush, Scene } from '../scene.ts';
import type { Jelly } from './jellyfish-body.ts';
import { drawJelly } from './jellyfish-body.ts';

const WIDTH = 540;
const HEIGHT = 960;
const HALF = 2;

const deep = createRamp([
  [0, '#2f7fc4'],
  [0.16, '#1c57a8'],
  [0.42, '#12347f'],
  [0.7, '#0b1c54'],
  [1, '#060b2c'],
]);
const shafts = createNoiseTile({ size: 256, cells: 7, octaves: 3, seed: 15 });

/** Near ones hang in the middle and beat; far ones rise through the picture behind them. */
const jellies: readonly Jelly[] = [
  { x: 120, y: 0, size: 30, hue: 'blue', phase: 0.1, beats: 6, rises: true, dim: 0.42 },
  { x: 430, y: 0, size: 36, hue: 'rose', phase: 0.45, beats: 6, rises: true, dim: 0.46 },
  { x: 300, y: 0, size: 26, hue: 'blue', phase: 0.72, beats: 7, rises: true, dim: 0.38 },
  { x: 60, y: 0, size: 22, hue: 'gold', phase: 0.86, beats: 7, rises: true, dim: 0.36 },
  { x: 408, y: 610, size: 62, hue: 'gold', phase: 0.3, beats: 5, rises: false, dim: 0.85 },
  { x: 138, y: 520, size: 52, hue: 'blue', phase: 0.68, beats: 5, rises: false, dim: 0.8 },
  { x: 290, y: 262, size: 112, hue: 'rose', phase: 0, beats: 4, rises: false, dim: 1 },
];

function paintWater(t: number): (x: number, y: number, out: Sample) => void {
  return (halfX, halfY, out) => {
    const x = halfX * HALF;
    const y = halfY * HALF;
    const step = findStep(y / HEIGHT);
    const angle = (x - 330) / (y + 340);
    const slow = sampleTile(shafts, angle * 0.55 + 0.5, t);
    const quick = sampleTile(shafts, angle * 1.1 + 0.2, 0.3 - t);
    const light = smoothstep(0.45, 0.95, slow * 0.55 + quick * 0.52) * smoothstep(720, 0, y) * 92;
    const middle = Math.exp(-Math.hypot((x - 280) / 210, (y - 340) / 300)) * 26;
    out[0] = (deep.red[step] ?? 0) * 0.8 + light * 0.5 + middle * 0.7;
    out[1] = (deep.green[step] ?? 0) * 0.8 + light * 0.85 + middle * 0.4;
    out[2] = (deep.blue[step] ?? 0) * 0.85 + light + middle;
  };
}

type Speck = {
  readonly x: number;
  readonly size: number;
  readonly phase: number;
  readonly cycles: number;
  readonly light: number;
};

function drawSpecks(brush: Brush, glow: Layer, specks: readonly Speck[], t: number): void {
  brush.globalCompositeOperation = 'lighter';
  for (const { x, size, phase, cycles, light } of specks) {
    const life = wrap(t * cycles + phase);
    drawGlow(
      brush,
      glow,
      x + wave(t, 1, phase * 5) * 18,
      mix(-20, HEIGHT + 20, life),
      size,
      light * fadeInOut(life, 0.1),
    );
  }
  brush.globalCompositeOperation = 'source-over';
}

export const jellyfish: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const back = createPixels(WIDTH / HALF, HEIGHT / HALF);
    const glow = createGlow([190, 222, 255], 24, 1.6);
    const random = createRandom(64);
    const specks: Speck[] = makeMany(110, () => ({
      x: random() * WIDTH,
      size: mix(1.2, 5, random() ** 3),
      phase: random(),
      cycles: 1,
      light: drawBetween(random, 0.15, 0.6),
    }));
    const halos = {
      rose: createGlow([226, 96, 190], 64, 2),
      gold: createGlow([255, 150, 84], 64, 2),
      blue: createGlow([92, 158, 255], 64, 2),
    };
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    return (brush, t) => {
      brush.drawImage(shadePixels(back, paintWater(t)).canvas, 0, 0, WIDTH, HEIGHT);
      const swarm = createLayer(WIDTH, HEIGHT, (upper) => {
        for (const jelly of jellies) drawJelly(upper, jelly, halos[jelly.hue], HEIGHT, t);
      });
      brush.globalCompositeOperation = 'lighter';
      brush.drawImage(swarm.canvas, 0, 0);
      // Their own light blurred over them: soft, as seen through water.
      brush.globalAlpha = 0.48;
      brush.drawImage(createBlurred(swarm, 9).canvas, 0, 0);
      brush.globalAlpha = 1;
      brush.globalCompositeOperation = 'source-over';
      drawSpecks(brush, glow, specks, t);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
