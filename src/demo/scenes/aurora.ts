import { createVignette } from '../drawing/glow.ts';
import type { Layer, Sample } from '../drawing/layer.ts';
import { createBlurred, createLayer, createPixels, shadePixels } from '../drawing/layer.ts';
import { mix, smoothstep, wave } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import type { Mirror } from '../drawing/reflection.ts';
import { shadeMirror } from '../drawing/reflection.ts';
import { createRandom, makeMany } from '../drawing/seeded.ts';
import { createWater } from '../drawing/water.ts';
import type { Brush, Scene } from '../scene.ts';
import { drawPineRow } from './pines.ts';

const WIDTH = 960;
const HEIGHT = 540;
const SHORE = 372;
const HALF = 2;
const MIRROR: Mirror = {
  focal: 520,
  tile: 6,
  sideways: [2, 0.04],
  upright: [5, 0.1],
  light: [1.1, 0.85],
  depth: 168,
  tint: [1, 5, 10],
};

const folds = createNoiseTile({ size: 256, cells: 3, octaves: 3, seed: 12 });
const rays = createNoiseTile({ size: 256, cells: 14, octaves: 4, seed: 58 });
const peaks = createNoiseTile({ size: 512, cells: 6, octaves: 6, seed: 24, gain: 0.48 });

type Curtain = {
  readonly base: number;
  readonly fold: number;
  readonly tall: number;
  readonly strength: number;
  readonly shift: number;
};

const curtains: readonly Curtain[] = [
  { base: 190, fold: 95, tall: 66, strength: 0.9, shift: 0.1 },
  { base: 246, fold: 110, tall: 96, strength: 1.25, shift: 0.43 },
  { base: 300, fold: 60, tall: 44, strength: 0.5, shift: 0.77 },
];

/** One column of a curtain: where its hem hangs, how tall its rays reach and how bright they are. */
type Column = { readonly hem: number; readonly tall: number; readonly light: number };

/** The rays follow a small circle through their noise: they change calmly and never run backwards as one. */
function findColumn({ base, fold, tall, strength, shift }: Curtain, x: number, t: number): Column {
  const u = x / 1700 + shift;
  const curl = sampleTile(folds, u + 0.06 * wave(t, 1, shift), shift + 0.16 * wave(t, 1, shift + 0.25)) - 0.5;
  const side = 0.012 * wave(t, 1, shift + 0.25);
  const slow = 0.05 * wave(t, 1, shift);
  const ray =
    sampleTile(rays, u * 1.5 + curl * 0.16 + side, shift + slow) * 0.6 +
    sampleTile(rays, u * 3.4 + curl * 0.22 - side, 0.5 - slow) * 0.4;
  const patch = smoothstep(
    0.22,
    0.72,
    sampleTile(folds, u * 1.3 + 0.5 + 0.1 * wave(t, 1), 0.3 + 0.16 * wave(t, 1, 0.25)),
  );
  return {
    hem: base + curl * fold * 1.6,
    tall: tall * (0.45 + 1.25 * ray),
    light: strength * (0.25 + 1.1 * smoothstep(0.3, 0.8, ray)) * (0.3 + 0.9 * patch),
  };
}

function paintSky(t: number): (x: number, y: number, out: Sample) => void {
  const columns = curtains.map((curtain) => makeMany(WIDTH / HALF, (x) => findColumn(curtain, x * HALF, t)));
  return (x, halfY, out) => {
    const y = halfY * HALF;
    const fall = y / SHORE;
    out[0] = mix(5, 14, fall);
    out[1] = mix(9, 44, fall * fall);
    out[2] = mix(32, 66, fall);
    for (const row of columns) {
      const column = row[x];
      if (column) addCurtain(column, y, out);
    }
  };
}

/** Green at the hem, then teal, and violet where the rays fade out. */
function addCurtain({ hem, tall, light }: Column, y: number, out: Sample): void {
  const rise = hem - y;
  const reach = rise / tall;
  const glow = (rise > 0 ? Math.exp(-reach * 0.95) : Math.exp(rise / 9)) * light;
  const high = smoothstep(0.5, 2.6, reach);
  out[0] += glow * mix(mix(46, 40, reach * 0.4), 190, high);
  out[1] += glow * mix(226, 66, high);
  out[2] += glow * mix(mix(124, 190, Math.min(1, Math.max(0, reach))), 232, high);
}

type Star = { readonly x: number; readonly y: number; readonly light: number; readonly phase: number };

function drawStars(brush: Brush, stars: readonly Star[], t: number): void {
  for (const [index, { x, y, light, phase }] of stars.entries()) {
    brush.fillStyle = `rgba(228,240,255,${(light * (0.6 + 0.4 * wave(t, 3 + (index % 4), phase))).toFixed(3)})`;
    brush.fillRect(x, y, 1 + light * 0.9, 1 + light * 0.9);
  }
}

/** Snow on gullied slopes, lit from one side by the sky; it thins out towards the foot. */
function createRange(base: number, height: number, row: number): Layer {
  const crests = makeMany(
    WIDTH,
    (x) => base - height * (1 - Math.abs(2 * sampleTile(peaks, x / 2300 + row * 0.31, row * 0.27) - 1)) ** 1.3,
  );
  return shadePixels(createPixels(WIDTH, SHORE), (x, y, out) => {
    const depth = y - (crests[x] ?? 0);
    const lit = smoothstep(-0.06, 0.09, findGully(x + 3, y, depth) - findGully(x - 3, y, depth));
    const snow = mix(0.16, 1, lit) * smoothstep(130, 0, depth);
    out[0] = mix(4, 66, snow);
    out[1] = mix(16, 132, snow);
    out[2] = mix(28, 142, snow);
    out[3] = 255 * smoothstep(-0.8, 0.8, depth);
  });
}

/** Folded noise gives sharp spurs; they run down and fan out with depth. */
function findGully(x: number, y: number, depth: number): number {
  const u = (x + depth * 0.35) * 0.0021;
  const bend = sampleTile(folds, x * 0.004, y * 0.006) * 0.035;
  return Math.abs(2 * sampleTile(peaks, u + bend, y * 0.0011 + 0.4) - 1);
}

function createShore(): Layer {
  return createLayer(WIDTH, SHORE, (brush) => {
    brush.drawImage(createRange(334, 132, 1).canvas, 0, 0);
    const mist = brush.createLinearGradient(0, 300, 0, SHORE);
    mist.addColorStop(0, 'rgba(40,130,120,0)');
    mist.addColorStop(1, 'rgba(40,130,120,0.4)');
    brush.fillStyle = mist;
    brush.fillRect(0, 300, WIDTH, SHORE - 300);
    drawPineRow(brush, {
      seed: 4,
      width: WIDTH,
      floor: SHORE - 1,
      low: 12,
      high: 34,
      gap: 7,
      color: '#03121a',
      open: 0,
    });
    drawPineRow(brush, {
      seed: 9,
      width: WIDTH,
      floor: SHORE,
      low: 20,
      high: 62,
      gap: 13,
      color: '#020a10',
      open: 190,
    });
  });
}

export const aurora: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const sky = createPixels(WIDTH / HALF, SHORE / HALF);
    const lake = createPixels(WIDTH, HEIGHT - SHORE);
    const upper = createLayer(WIDTH, SHORE);
    const shore = createShore();
    const random = createRandom(16);
    const stars: Star[] = makeMany(230, () => ({
      x: random() * WIDTH,
      y: random() * 300,
      light: 0.15 + 0.85 * random() ** 4,
      phase: random(),
    }));
    const moveWater = createWater({ seed: 6, longest: 2, fall: 2.2, wind: 0.4, pace: 2 });
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    return (brush, t) => {
      upper.brush.drawImage(shadePixels(sky, paintSky(t)).canvas, 0, 0, WIDTH, SHORE);
      drawStars(upper.brush, stars, t);
      upper.brush.drawImage(shore.canvas, 0, 0);
      const seen = createBlurred(upper, 1.4).brush.getImageData(0, 0, WIDTH, SHORE);
      brush.drawImage(upper.canvas, 0, 0);
      brush.drawImage(shadePixels(lake, shadeMirror(seen, moveWater(t), MIRROR)).canvas, 0, SHORE);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
