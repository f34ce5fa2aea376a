import { createRamp, findStep } from '../drawing/color.ts';
import { createGlow, createVignette, drawGlow } from '../drawing/glow.ts';
import type { Layer, Sample } from '../drawing/layer.ts';
import { createBlurred, createLayer, createPixels, drawApart, shadePixels } from '../drawing/layer.ts';
import { fadeInOut, mix, smoothstep, wave, wrap } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import type { Mirror } from '../drawing/reflection.ts';
import { shadeMirror } from '../drawing/reflection.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';
import { createWater } from '../drawing/water.ts';
import type { Brush, Scene } from '../scene.ts';
import { createLanternPicture } from './lantern-picture.ts';
import { drawPineRow } from './pines.ts';

const WIDTH = 540;
const HEIGHT = 960;
const SHORE = 700;
const MIRROR: Mirror = {
  focal: 620,
  tile: 6,
  sideways: [3, 0.06],
  upright: [7, 0.13],
  light: [0.98, 0.62],
  depth: 260,
  tint: [4, 5, 14],
};

const sky = createRamp([
  [0, '#070b24'],
  [0.35, '#141a44'],
  [0.62, '#33285c'],
  [0.82, '#6c3a5e'],
  [0.94, '#b75f54'],
  [1, '#e08a58'],
]);
const hills = createNoiseTile({ size: 512, cells: 5, octaves: 5, seed: 36, gain: 0.45 });

type Lantern = {
  readonly x: number;
  readonly near: number;
  readonly phase: number;
  readonly sway: number;
  readonly flicker: number;
};

type Pictures = { readonly sharp: Layer; readonly soft: Layer; readonly glow: Layer };

/** Far lanterns first, so that near ones float before them. Far ones are many and small. */
function listLanterns(): Lantern[] {
  const random = createRandom(28);
  return makeMany(86, (index) => {
    const near = (index / 86) ** 2.1;
    return {
      x: 0.5 + (random() + random() - 1) * mix(0.62, 0.5, near),
      near,
      phase: wrap(index * 0.618),
      sway: drawBetween(random, 6, 16),
      flicker: random(),
    };
  });
}

function drawLantern(brush: Brush, { sharp, soft, glow }: Pictures, lantern: Lantern, t: number): void {
  const { x, near, phase, sway, flicker } = lantern;
  const life = wrap(t + phase);
  const size = mix(9, 74, near);
  const placeX = x * WIDTH + wave(t, 1, flicker) * sway * (0.6 + near * 1.6) + (life - 0.5) * mix(10, 46, near);
  const placeY = mix(mix(SHORE - 18, HEIGHT + 90, smoothstep(0, 0.3, near)), mix(40, -120, near), life);
  const light = fadeInOut(life, 0.1) * (0.9 + 0.07 * wave(t, 9, flicker) + 0.03 * wave(t, 17, phase));
  brush.globalCompositeOperation = 'lighter';
  drawGlow(brush, glow, placeX, placeY, size * 1.9, 0.42 * light);
  brush.globalCompositeOperation = 'source-over';
  drawApart(brush, () => {
    brush.translate(placeX, placeY);
    brush.rotate(wave(t, 1, flicker + 0.25) * 0.09);
    brush.globalAlpha = light;
    brush.drawImage(near > 0.72 ? soft.canvas : sharp.canvas, -size / 2, -size * 0.625, size, size * 1.25);
  });
}

function paintSky(x: number, y: number, out: Sample): void {
  const step = findStep(y / SHORE);
  const glow = Math.exp(-Math.hypot((x - WIDTH / 2) * 0.6, (y - SHORE) * 1.3) / 170) * 36;
  out[0] = (sky.red[step] ?? 0) + glow;
  out[1] = (sky.green[step] ?? 0) + glow * 0.6;
  out[2] = (sky.blue[step] ?? 0) + glow * 0.2;
}

function createBackdrop(): Layer {
  return createLayer(WIDTH, SHORE, (brush) => {
    brush.drawImage(shadePixels(createPixels(WIDTH, SHORE), paintSky).canvas, 0, 0);
    for (const [row, color] of ['#5a3860', '#33264e', '#171634'].entries()) drawHills(brush, row, color);
    drawPineRow(brush, {
      seed: 12,
      width: WIDTH,
      floor: SHORE,
      low: 14,
      high: 52,
      gap: 10,
      color: '#0a0b1c',
      open: 150,
    });
  });
}

function drawHills(brush: Brush, row: number, color: string): void {
  brush.fillStyle = color;
  brush.beginPath();
  brush.moveTo(0, SHORE);
  for (let x = 0; x <= WIDTH; x += 3) {
    const valley = 0.55 + 0.75 * Math.abs(x / WIDTH - 0.5) * 2;
    brush.lineTo(x, SHORE - 12 - (128 - row * 38) * valley * sampleTile(hills, x / 1500 + row * 0.37, row * 0.23));
  }
  brush.lineTo(WIDTH, SHORE);
  brush.fill();
}

type Star = { readonly x: number; readonly y: number; readonly light: number; readonly phase: number };

function drawStars(brush: Brush, stars: readonly Star[], t: number): void {
  for (const { x, y, light, phase } of stars) {
    brush.fillStyle = `rgba(236,232,255,${(light * (0.55 + 0.45 * wave(t, 4, phase))).toFixed(3)})`;
    brush.fillRect(x, y, 1 + light, 1 + light);
  }
}

export const lanterns: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const picture = createLanternPicture();
    const pictures: Pictures = {
      sharp: picture,
      soft: createBlurred(picture, 5),
      glow: createGlow([255, 138, 48], 64, 2.4),
    };
    const all = listLanterns();
    const random = createRandom(2);
    const stars: Star[] = makeMany(130, () => ({
      x: random() * WIDTH,
      y: random() * 470,
      light: 0.1 + 0.8 * random() ** 3,
      phase: random(),
    }));
    const backdrop = createBackdrop();
    const upper = createLayer(WIDTH, SHORE);
    const lake = createPixels(WIDTH, HEIGHT - SHORE);
    const moveWater = createWater({ seed: 13, longest: 2, fall: 2.1, wind: 0.9, pace: 2 });
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    return (brush, t) => {
      upper.brush.drawImage(backdrop.canvas, 0, 0);
      drawStars(upper.brush, stars, t);
      for (const lantern of all) drawLantern(upper.brush, pictures, lantern, t);
      const seen = createBlurred(upper, 1.3).brush.getImageData(0, 0, WIDTH, SHORE);
      brush.drawImage(upper.canvas, 0, 0);
      brush.drawImage(shadePixels(lake, shadeMirror(seen, moveWater(t), MIRROR)).canvas, 0, SHORE);
      for (const lantern of all) if (lantern.near > 0.12) drawLantern(brush, pictures, lantern, t);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
