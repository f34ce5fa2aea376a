import { createRamp, findStep } from '../drawing/color.ts';
import { createGlow, createVignette, drawGlow } from '../drawing/glow.ts';
import type { Layer, Sample } from '../drawing/layer.ts';
import { createLayer, createPixels, shadePixels } from '../drawing/layer.ts';
import { mix, smoothstep, wave, wrap } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';
import type { Brush, Scene } from '../scene.ts';
import { CHIMNEY, drawHouse, WINDOWS } from './cabin-house.ts';
import { drawPine, drawPineRow } from './pines.ts';

const WIDTH = 960;
const HEIGHT = 540;
const GROUND = 372;

const sky = createRamp([
  [0, '#0a1030'],
  [0.4, '#1b2856'],
  [0.75, '#3d4a7c'],
  [1, '#6a6c96'],
]);
const drifts = createNoiseTile({ size: 256, cells: 3, octaves: 4, seed: 39, gain: 0.4 });

function paintSky(x: number, y: number, out: Sample): void {
  const step = findStep(y / 400);
  const cloud = (sampleTile(drifts, x * 0.0007, y * 0.0022 + 0.3) - 0.5) * 26;
  const moon = Math.exp(-Math.hypot(x - 690, y - 96) / 90) * 70;
  out[0] = (sky.red[step] ?? 0) + cloud + moon;
  out[1] = (sky.green[step] ?? 0) + cloud + moon;
  out[2] = (sky.blue[step] ?? 0) + cloud * 1.2 + moon;
}

/** Snow: blue in the night, warm where the windows shine on it. */
function paintSnow(x: number, row: number, out: Sample): void {
  const y = row + GROUND - 60;
  const edge = findGround(x);
  const roll = sampleTile(drifts, x * 0.0012 + y * 0.0006, y * 0.0042) - 0.5;
  const depth = (y - edge) / 170;
  const warm = WINDOWS.reduce(
    (sum, pane) => sum + Math.exp(-(((x - pane.x - pane.width / 2) / 105) ** 2) - ((y - 400) / 40) ** 2),
    0,
  );
  const shade = 1 + roll * 0.42 - depth * 0.34;
  out[0] = 92 * shade + 92 * warm;
  out[1] = 108 * shade + 50 * warm;
  out[2] = 162 * shade + 2 * warm;
  out[3] = 255 * smoothstep(-1, 1, y - edge);
}

function findGround(x: number): number {
  return GROUND - 6 + (sampleTile(drifts, x / 1300, 0.7) - 0.5) * 40 - 10 * Math.exp(-(((x - 480) / 190) ** 2));
}

function createScenery(): Layer {
  return createLayer(WIDTH, HEIGHT, (brush) => {
    brush.drawImage(shadePixels(createPixels(WIDTH, 400), paintSky).canvas, 0, 0);
    drawPineRow(brush, {
      seed: 3,
      width: WIDTH,
      floor: GROUND,
      low: 80,
      high: 150,
      gap: 20,
      color: '#2b3764',
      open: 120,
      snow: '#3d4a78',
    });
    drawPineRow(brush, {
      seed: 8,
      width: WIDTH,
      floor: GROUND + 4,
      low: 110,
      high: 220,
      gap: 40,
      color: '#182248',
      open: 330,
      snow: '#54628f',
    });
    brush.drawImage(shadePixels(createPixels(WIDTH, HEIGHT - GROUND + 60), paintSnow).canvas, 0, GROUND - 60);
    drawHouse(brush);
    drawFrontPines(brush);
  });
}

function drawFrontPines(brush: Brush): void {
  const random = createRandom(71);
  const mound = createGlow([86, 100, 150], 48, 0.9);
  for (const [x, floor, tall] of [
    [60, 470, 300],
    [196, 440, 190],
    [880, 476, 330],
    [742, 436, 170],
    [-10, 520, 260],
    [966, 540, 250],
  ] as const) {
    drawPine(brush, random, x, floor, tall, '#0c1430', '#8494bf');
    drawGlow(brush, mound, x, floor + tall * 0.03, tall * 0.13, 0.95);
  }
}

type Puff = { readonly phase: number; readonly side: number };

function drawSmoke(brush: Brush, glow: Layer, puffs: readonly Puff[], t: number): void {
  for (const { phase, side } of puffs) {
    const life = wrap(t * 2 + phase);
    const x = CHIMNEY.x + life * life * 96 + wave(t, 2, phase) * 9 * life + side * 8 * life;
    drawGlow(
      brush,
      glow,
      x,
      CHIMNEY.y - life * 150,
      9 + life * 44,
      0.24 * smoothstep(0, 0.08, life) * smoothstep(1, 0.3, life),
    );
  }
}

/** The fire inside makes the windows breathe a little, never fast. */
function drawWindowLight(brush: Brush, warm: Layer, t: number): void {
  brush.globalCompositeOperation = 'lighter';
  for (const [index, { x, y, width, height }] of WINDOWS.entries()) {
    const light = 0.5 + 0.07 * wave(t, 11, index * 0.3) + 0.05 * wave(t, 17, index * 0.7);
    drawGlow(brush, warm, x + width / 2, y + height / 2, 74, light);
    drawGlow(brush, warm, x + width / 2, y + height + 44, 110, light * 0.22);
  }
  brush.globalCompositeOperation = 'source-over';
}

type Flake = {
  readonly x: number;
  readonly near: number;
  readonly phase: number;
  readonly falls: number;
  readonly sway: number;
};

function listFlakes(): Flake[] {
  const random = createRandom(53);
  return makeMany(430, () => {
    const near = random() ** 2.2;
    return {
      x: random(),
      near,
      phase: random(),
      falls: near > 0.55 ? 3 : near > 0.16 ? 2 : 1,
      sway: drawBetween(random, 6, 20),
    };
  });
}

/** Flakes slant with the wind and wrap at the sides; near ones are larger, softer and quicker. */
function drawSnowfall(brush: Brush, flake: Layer, flakes: readonly Flake[], t: number): void {
  for (const { x, near, phase, falls, sway } of flakes) {
    const fall = wrap(t * falls + phase);
    const placeX = wrap(x + fall * 0.07) * (WIDTH + 60) - 30 + wave(t, falls, phase * 7) * sway * (0.4 + near);
    drawGlow(brush, flake, placeX, mix(-16, HEIGHT + 16, fall), mix(1.7, 8.5, near), mix(0.85, 0.42, near));
  }
}

export const cabin: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const scenery = createScenery();
    const warm = createGlow([255, 160, 64], 64, 2.2);
    const smoke = createGlow([150, 158, 196], 48, 1.5);
    const flake = createGlow([238, 242, 255], 16, 1.1);
    const random = createRandom(4);
    const puffs: Puff[] = makeMany(22, (index) => ({ phase: index / 22, side: drawBetween(random, -1, 1) }));
    const flakes = listFlakes();
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    return (brush, t) => {
      brush.drawImage(scenery.canvas, 0, 0);
      drawSmoke(brush, smoke, puffs, t);
      drawWindowLight(brush, warm, t);
      drawSnowfall(brush, flake, flakes, t);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
