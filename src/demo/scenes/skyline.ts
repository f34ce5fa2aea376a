import { createRamp, findStep } from '../drawing/color.ts';
import { createGlow, createVignette, drawGlow } from '../drawing/glow.ts';
import type { Layer, Sample } from '../drawing/layer.ts';
import { createBlurred, createLayer, createPixels, shadePixels } from '../drawing/layer.ts';
import { driftTwice, mix, smoothstep, wave, wrap } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import type { Mirror } from '../drawing/reflection.ts';
import { shadeMirror } from '../drawing/reflection.ts';
import { createRandom, makeMany } from '../drawing/seeded.ts';
import { createWater } from '../drawing/water.ts';
import type { Brush, Scene } from '../scene.ts';
import type { Building } from './skyline-buildings.ts';
import { drawBuildings, drawPanes, listBuildings } from './skyline-buildings.ts';

const WIDTH = 960;
const HEIGHT = 540;
const SHORE = 330;
const MIRROR: Mirror = {
  focal: 560,
  tile: 7,
  sideways: [4, 0.09],
  upright: [9, 0.17],
  light: [1.12, 0.6],
  depth: 210,
  tint: [5, 6, 14],
};

const sky = createRamp([
  [0, '#060a1c'],
  [0.3, '#0d1636'],
  [0.55, '#242252'],
  [0.76, '#533063'],
  [0.9, '#9a4a64'],
  [1, '#d0705e'],
]);
const billows = createNoiseTile({ size: 512, cells: 4, octaves: 6, seed: 33 });

function paintSky(t: number): (x: number, y: number, out: Sample) => void {
  const drifts = driftTwice(t, 1);
  return (x, y, out) => {
    const step = findStep(y / SHORE);
    const depth = 260 / (SHORE - y + 70);
    let cover = 0;
    for (const { offset, weight } of drifts)
      cover += weight * sampleTile(billows, (x - 480) * depth * 0.0006 + offset * 0.12, depth * 0.4);
    const cloud = smoothstep(0.38, 0.8, cover) * smoothstep(0, 90, y) * 0.8;
    out[0] = mix(sky.red[step] ?? 0, 96, cloud * 0.5);
    out[1] = mix(sky.green[step] ?? 0, 54, cloud * 0.5);
    out[2] = mix(sky.blue[step] ?? 0, 86, cloud * 0.45);
  };
}

function createCity(depth: number, buildings: readonly Building[]): Layer {
  return createLayer(WIDTH, SHORE, (brush) => {
    drawBuildings(brush, buildings, depth, SHORE);
    brush.globalCompositeOperation = 'lighter';
    brush.globalAlpha = 0.8;
    brush.drawImage(createBlurred(createPaneLayer(buildings), 7).canvas, 0, 0);
    brush.globalAlpha = 0.9;
    brush.drawImage(createBlurred(createPaneLayer(buildings), 2).canvas, 0, 0);
  });
}

/** The lit windows alone: blurred, they are the glow around them. */
function createPaneLayer(buildings: readonly Building[]): Layer {
  return createLayer(WIDTH, SHORE, (brush) => drawPanes(brush, buildings));
}

/** A few windows where someone comes home or goes to bed, each slowly. */
function drawWaking(brush: Brush, buildings: readonly Building[], t: number): void {
  for (const { waking } of buildings) {
    for (const { x, y, width, height, color, phase, cycles } of waking) {
      brush.globalAlpha = smoothstep(-0.25, 0.25, wave(t, cycles, phase));
      brush.fillStyle = color;
      brush.fillRect(x, y, width, height);
    }
  }
  brush.globalAlpha = 1;
}

function drawBeacons(brush: Brush, buildings: readonly Building[], glow: Layer, t: number): void {
  brush.globalCompositeOperation = 'lighter';
  for (const { mast, phase } of buildings) {
    if (mast) drawGlow(brush, glow, mast.x, mast.y, 11, 0.35 + 0.65 * smoothstep(-0.2, 0.9, wave(t, 5, phase)));
  }
  brush.globalCompositeOperation = 'source-over';
}

function drawQuay(brush: Brush, warm: Layer, red: Layer, t: number): void {
  brush.fillStyle = '#0a0813';
  brush.fillRect(0, SHORE - 7, WIDTH, 7);
  brush.globalCompositeOperation = 'lighter';
  for (let lamp = 0; lamp < 33; lamp++) drawGlow(brush, warm, lamp * 30 + 8, SHORE - 8, 9, 0.75);
  for (let car = 0; car < 16; car++) {
    drawGlow(brush, warm, wrap(t + car * 0.0671) * (WIDTH + 40) - 20, SHORE - 4, 6, 0.85);
    drawGlow(brush, red, wrap(-t + car * 0.0597) * (WIDTH + 40) - 20, SHORE - 6, 5, 0.8);
  }
  brush.globalCompositeOperation = 'source-over';
}

/** A ferry crosses once in the loop; it enters and leaves out of sight. */
function drawFerry(brush: Brush, warm: Layer, t: number): void {
  const x = wrap(t + 0.48) * (WIDTH + 320) - 160;
  const y = SHORE + 26 + wave(t, 4) * 0.8;
  brush.fillStyle = '#07060d';
  brush.beginPath();
  brush.roundRect(x - 44, y - 7, 92, 11, [2, 8, 6, 4]);
  brush.roundRect(x - 30, y - 17, 56, 11, 3);
  brush.roundRect(x - 6, y - 24, 22, 9, 2);
  brush.fill();
  brush.fillStyle = '#ffd796';
  for (let pane = 0; pane < 8; pane++) brush.fillRect(x - 25 + pane * 6.2, y - 14, 3.6, 4);
  brush.globalCompositeOperation = 'lighter';
  for (let pane = 0; pane < 4; pane++) drawGlow(brush, warm, x - 20 + pane * 13, y - 12, 17, 0.5);
  for (let streak = 0; streak < 9; streak++) {
    brush.fillStyle = `rgba(255,196,120,${0.2 * (1 - streak / 9)})`;
    brush.fillRect(x - 26 + wave(t, 6 + (streak % 3), streak * 0.23) * 5, y + 6 + streak * 3.4, 50 - streak * 2, 1.4);
  }
  brush.globalCompositeOperation = 'source-over';
}

function createStars(): Layer {
  const random = createRandom(11);
  const stars = makeMany(90, () => ({ x: random() * WIDTH, y: random() * 150, light: random() ** 3 }));
  return createLayer(WIDTH, SHORE, (brush) => {
    for (const { x, y, light } of stars) {
      brush.fillStyle = `rgba(220,222,255,${0.1 + light * 0.6})`;
      brush.fillRect(x, y, 1 + light, 1 + light);
    }
  });
}

export const skyline: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const above = createPixels(WIDTH, SHORE);
    const below = createPixels(WIDTH, HEIGHT - SHORE);
    const upper = createLayer(WIDTH, SHORE);
    const buildings = [listBuildings(0, WIDTH, SHORE), listBuildings(1, WIDTH, SHORE), listBuildings(2, WIDTH, SHORE)];
    const city = buildings.map((row, depth) => createCity(depth, row));
    const stars = createStars();
    const warm = createGlow([255, 196, 118], 24);
    const red = createGlow([255, 58, 44], 24);
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    const moveWater = createWater({ seed: 21, longest: 2, fall: 1.9, wind: 0.6, pace: 2 });
    return (brush, t) => {
      upper.brush.drawImage(shadePixels(above, paintSky(t)).canvas, 0, 0);
      upper.brush.drawImage(stars.canvas, 0, 0);
      for (const row of city) upper.brush.drawImage(row.canvas, 0, 0);
      for (const row of buildings) drawWaking(upper.brush, row, t);
      for (const row of buildings) drawBeacons(upper.brush, row, red, t);
      drawQuay(upper.brush, warm, red, t);
      const seen = createBlurred(upper, 1.3).brush.getImageData(0, 0, WIDTH, SHORE);
      brush.drawImage(upper.canvas, 0, 0);
      brush.drawImage(shadePixels(below, shadeMirror(seen, moveWater(t), MIRROR)).canvas, 0, SHORE);
      drawFerry(brush, warm, t);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
