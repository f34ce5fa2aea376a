import type { Color } from '../drawing/color.ts';
import { createRamp, findStep, mixColor, parseColor } from '../drawing/color.ts';
import { createVignette } from '../drawing/glow.ts';
import type { Layer, Sample } from '../drawing/layer.ts';
import { createPixels, shadePixels } from '../drawing/layer.ts';
import { driftTwice, mix, smoothstep, wave } from '../drawing/motion.ts';
import type { NoiseTile } from '../drawing/noise.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import { makeMany } from '../drawing/seeded.ts';
import type { Brush, Scene } from '../scene.ts';

const WIDTH = 960;
const HEIGHT = 540;
const MARGIN = 40;
const SUN_X = 520;
const SUN_Y = 236;

const sky = createRamp([
  [0, '#1d3a78'],
  [0.18, '#3a5c9e'],
  [0.34, '#7f86b8'],
  [0.5, '#c79fb8'],
  [0.62, '#eeb6a4'],
  [0.74, '#ffcf9c'],
  [1, '#ffe3b4'],
]);
const billows = createNoiseTile({ size: 512, cells: 4, octaves: 7, seed: 41, gain: 0.52 });
const veils = createNoiseTile({ size: 256, cells: 3, octaves: 5, seed: 17 });

type Ridge = {
  readonly base: number;
  readonly height: number;
  readonly detail: number;
  readonly seed: number;
  readonly top: string;
  readonly foot: string;
  readonly near: number;
};

const ridges: readonly Ridge[] = [
  { base: 262, height: 104, detail: 1.1, seed: 3, top: '#a98fb4', foot: '#e9b9b0', near: 0.05 },
  { base: 316, height: 112, detail: 1.4, seed: 29, top: '#8478a8', foot: '#c9a3b4', near: 0.16 },
  { base: 366, height: 110, detail: 1.7, seed: 12, top: '#5f6197', foot: '#9c8cb2', near: 0.32 },
  { base: 412, height: 104, detail: 2.0, seed: 57, top: '#414b80', foot: '#6f6fa2', near: 0.52 },
  { base: 470, height: 104, detail: 2.4, seed: 71, top: '#26315c', foot: '#454e82', near: 0.76 },
  { base: 530, height: 92, detail: 3.0, seed: 90, top: '#0c1330', foot: '#182146', near: 1 },
];

/** The line of a ridge: folded noise gives crests, finer noise roughens them. */
function findCrest({ base, height, detail, seed }: Ridge, profile: NoiseTile, x: number): number {
  const u = (x / WIDTH) * 0.42 * detail;
  const folded = 1 - Math.abs(2 * sampleTile(profile, u, seed * 0.137) - 1);
  const rolling = sampleTile(profile, u * 0.43 + 0.2, seed * 0.071);
  const rough = sampleTile(profile, u * 7.3, seed * 0.31) - 0.5;
  return base - height * (folded * 0.62 + rolling * 0.55) - rough * height * 0.1;
}

function createRidge(ridge: Ridge): Layer {
  const profile = createNoiseTile({ size: 512, cells: 6, octaves: 6, seed: ridge.seed, gain: 0.46 });
  const width = WIDTH + MARGIN * 2;
  const crests = makeMany(width, (x) => findCrest(ridge, profile, x));
  const top = parseColor(ridge.top);
  const foot = parseColor(ridge.foot);
  return shadePixels(createPixels(width, HEIGHT), (x, y, out) => {
    const crest = crests[x] ?? 0;
    const depth = y - crest;
    writeRock(mixColor(top, foot, smoothstep(0, 150, depth)), x, y, depth, ridge, out);
    out[3] = 255 * smoothstep(-0.8, 0.8, depth);
  });
}

function writeRock(color: Color, x: number, y: number, depth: number, ridge: Ridge, out: Sample): void {
  const gully = sampleTile(billows, (x + y * 0.6) * 0.0022, y * 0.0009 + ridge.seed * 0.1) - 0.5;
  const shade = 1 + gully * 0.28 * (0.35 + ridge.near * 0.65) * smoothstep(160, 20, depth);
  const sunward = (1 - ridge.near) * 46 * Math.exp(-Math.abs(x - MARGIN - SUN_X) / 190) * smoothstep(60, 0, depth);
  out[0] = color[0] * shade + sunward;
  out[1] = color[1] * shade + sunward * 0.72;
  out[2] = color[2] * shade + sunward * 0.35;
}

function paintSky(t: number): (x: number, y: number, out: Sample) => void {
  const drifts = driftTwice(t, 1);
  return (x, y, out) => {
    const step = findStep(y / 330);
    const glow = Math.exp(-Math.hypot((x - SUN_X) * 0.72, y - SUN_Y) / 92);
    out[0] = (sky.red[step] ?? 0) + 96 * glow;
    out[1] = (sky.green[step] ?? 0) + 70 * glow;
    out[2] = (sky.blue[step] ?? 0) + 22 * glow;
    addClouds(x, y, drifts, out);
  };
}

function addClouds(x: number, y: number, drifts: ReturnType<typeof driftTwice>, out: Sample): void {
  const lift = 330 / (y + 150);
  let cover = 0;
  let above = 0;
  for (const { offset, weight } of drifts) {
    const u = (x - SUN_X) * 0.00046 * lift + offset * 0.3;
    const v = lift * 0.34 + offset * 0.03;
    const curl = sampleTile(veils, u * 2 + offset * 0.2, v * 3) * 0.05;
    cover += weight * sampleTile(billows, u + curl, v + curl);
    above += weight * sampleTile(billows, u + curl, v + curl + 0.012);
  }
  const thick = smoothstep(0.5, 0.74, cover) * smoothstep(292, 190, y);
  const light = 0.5 + (above - cover) * -5 + 0.5 * Math.exp(-Math.hypot(x - SUN_X, (y - SUN_Y) * 1.2) / 240);
  out[0] = mix(out[0], mix(122, 255, light), thick * 0.82);
  out[1] = mix(out[1], mix(112, 206, light), thick * 0.82);
  out[2] = mix(out[2], mix(160, 188, light), thick * 0.82);
}

/** Mist lies in the valley before each ridge and slides past it. */
function drawMist(brush: Brush, mist: Layer, ridge: Ridge, t: number): void {
  for (const { offset, weight } of driftTwice(t, 1, ridge.near * 0.73)) {
    brush.globalAlpha = weight * 0.9 * (1 - ridge.near * 0.55);
    brush.drawImage(mist.canvas, offset * (140 + ridge.near * 220) - 280, ridge.base - 62, WIDTH + 560, 120);
  }
  brush.globalAlpha = 1;
}

function createMist(ridge: Ridge): Layer {
  const color = mixColor(parseColor(ridge.foot), [255, 214, 200], 0.4 * (1 - ridge.near) + 0.1);
  return shadePixels(createPixels(480, 80), (x, y, out) => {
    const puff = sampleTile(billows, x / 480, y / 190 + ridge.seed * 0.17);
    [out[0], out[1], out[2]] = color;
    out[3] = 235 * smoothstep(0.36, 0.8, puff) * smoothstep(0, 40, y) * smoothstep(80, 44, y);
  });
}

export const mountains: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const above = createPixels(WIDTH, 340);
    const ground = ridges.map((ridge) => ({ ridge, rock: createRidge(ridge), mist: createMist(ridge) }));
    const vignette = createVignette(WIDTH, HEIGHT, 0.4);
    return (brush, t) => {
      brush.drawImage(shadePixels(above, paintSky(t)).canvas, 0, 0);
      for (const { ridge, rock, mist } of ground) {
        brush.drawImage(rock.canvas, -MARGIN + wave(t, 1, 0.25) * ridge.near * 26, 0);
        drawMist(brush, mist, ridge, t);
      }
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
