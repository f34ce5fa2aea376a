import { createRamp, findStep } from '../drawing/color.ts';
import { createVignette } from '../drawing/glow.ts';
import type { Sample } from '../drawing/layer.ts';
import { createPixels, shadePixels } from '../drawing/layer.ts';
import { clamp, mix, smoothstep, wave, wrap } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';
import type { Brush, Scene } from '../scene.ts';
import { drawFish, listFish, placeFish } from './shoal-fish.ts';
import { drawKelp, listKelp } from './shoal-kelp.ts';

const WIDTH = 960;
const HEIGHT = 540;
const HALF = 2;
const FLOOR = 430;
const LIGHT_X = 500;

const water = createRamp([
  [0, '#b9f4ee'],
  [0.1, '#62d2d8'],
  [0.28, '#1f9fbb'],
  [0.55, '#0d6791'],
  [0.8, '#083f66'],
  [1, '#052a49'],
]);
const shafts = createNoiseTile({ size: 256, cells: 8, octaves: 3, seed: 5 });
const ripples = createNoiseTile({ size: 256, cells: 6, octaves: 3, seed: 44 });

/** Light bent by the surface: two moving fields cross, and where they agree runs a bright thread. */
function findCaustic(u: number, v: number, t: number): number {
  const first = sampleTile(ripples, u + 0.03 * wave(t, 1), v + t);
  const second = sampleTile(ripples, u * 1.3 - t + 0.37, v * 1.3 + 0.11);
  return (1 - Math.abs(first - second) * 2.1) ** 7;
}

function paintWater(t: number): (x: number, y: number, out: Sample) => void {
  return (halfX, halfY, out) => {
    const x = halfX * HALF;
    const y = halfY * HALF;
    const middle = Math.exp(-(((x - LIGHT_X) / 420) ** 2));
    const step = findStep((y / HEIGHT) * (1.16 - middle * 0.3));
    const shaft = findShaft(x, y, t) * (0.35 + middle * 0.75);
    const light = shaft * 118 + findSurface(x, y, t) * 150;
    out[0] = (water.red[step] ?? 0) + light * 0.62;
    out[1] = (water.green[step] ?? 0) + light * 0.95;
    out[2] = (water.blue[step] ?? 0) + light * 0.9;
    if (y > FLOOR - 60) addFloor(x, y, t, out);
  };
}

function findShaft(x: number, y: number, t: number): number {
  const angle = (x - LIGHT_X) / (y + 260);
  const slow = sampleTile(shafts, angle * 0.62 + 0.5, t);
  const quick = sampleTile(shafts, angle * 1.15 + 0.2, 0.4 - t);
  return smoothstep(0.42, 0.95, slow * 0.55 + quick * 0.55) * smoothstep(500, 20, y);
}

function findSurface(x: number, y: number, t: number): number {
  if (y > 110) return 0;
  const far = 60 / (y + 26);
  return findCaustic((x - LIGHT_X) * 0.0009 * (1 / far + 0.35), far * 0.5, t) * smoothstep(110, 0, y);
}

function addFloor(x: number, y: number, t: number, out: Sample): void {
  const rise = (sampleTile(shafts, x * 0.0006, 0.3) - 0.5) * 46;
  const depth = y - FLOOR - rise;
  const sand = smoothstep(-26, 60, depth);
  if (sand <= 0) return;
  const far = 200 / (Math.max(0, depth) + 46);
  const thread = findCaustic((x - LIGHT_X) * 0.0021 * far, far * 0.42, t) * smoothstep(0, 50, depth);
  const ridge = 0.9 + 0.2 * sampleTile(ripples, x * 0.002 * far, far * 3.1);
  out[0] = mix(out[0], (28 + thread * 84) * ridge, sand * 0.8);
  out[1] = mix(out[1], (92 + thread * 120) * ridge, sand * 0.8);
  out[2] = mix(out[2], (118 + thread * 100) * ridge, sand * 0.8);
}

type Bubble = { readonly x: number; readonly size: number; readonly phase: number; readonly cycles: number };

function drawBubbles(brush: Brush, bubbles: readonly Bubble[], t: number): void {
  for (const { x, size, phase, cycles } of bubbles) {
    const life = wrap(t * cycles + phase);
    const y = HEIGHT + 20 - life * (HEIGHT + 40);
    brush.globalAlpha = 0.55 * clamp(life * 6);
    brush.strokeStyle = '#d8fbff';
    brush.lineWidth = 0.9;
    brush.beginPath();
    brush.arc(x + wave(t, cycles * 4, phase) * size * 1.4, y, size * (0.7 + life * 0.5), 0, Math.PI * 2);
    brush.stroke();
  }
  brush.globalAlpha = 1;
}

export const shoal: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const back = createPixels(WIDTH / HALF, HEIGHT / HALF);
    const fish = listFish(300);
    const kelp = listKelp();
    const random = createRandom(8);
    const bubbles: Bubble[] = makeMany(34, (index) => ({
      x: (index % 2 ? 250 : 690) + drawBetween(random, -34, 34),
      size: drawBetween(random, 1.5, 5),
      phase: random(),
      cycles: 2 + (index % 2),
    }));
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    return (brush, t) => {
      brush.drawImage(shadePixels(back, paintWater(t)).canvas, 0, 0, WIDTH, HEIGHT);
      drawKelp(brush, kelp.far, t);
      const placed = fish.map((one) => placeFish(one, t)).sort((one, other) => one.depth - other.depth);
      for (const one of placed) drawFish(brush, one);
      drawBubbles(brush, bubbles, t);
      drawKelp(brush, kelp.near, t);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
