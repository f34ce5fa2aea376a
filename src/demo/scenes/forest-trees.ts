import { mixColor, parseColor, writeColor } from '../drawing/color.ts';
import type { Layer } from '../drawing/layer.ts';
import { createLayer } from '../drawing/layer.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import type { Random } from '../drawing/seeded.ts';
import { createRandom, drawBetween } from '../drawing/seeded.ts';
import type { Brush } from '../scene.ts';

/** The frame, and how much wider the trees stand so that they can be moved to both sides. */
export const WIDTH = 960;
export const HEIGHT = 540;
export const MARGIN = 40;
export const LIGHT_X = 530;

const MIST = parseColor('#cfd6ba');
const BARK = parseColor('#0a100b');

const mounds = createNoiseTile({ size: 256, cells: 3, octaves: 6, seed: 9 });

/** One stand of trees: `near` is 0 far off in the mist to 1 close by. */
export type Depth = { readonly near: number; readonly trees: number; readonly width: number; readonly seed: number };

export function createTrees(depth: Depth): Layer {
  const random = createRandom(depth.seed);
  const color = mixColor(MIST, BARK, 0.16 + depth.near * 0.84);
  return createLayer(WIDTH + MARGIN * 2, HEIGHT, (brush) => {
    brush.fillStyle = writeColor(color);
    brush.strokeStyle = writeColor(color);
    brush.lineCap = 'round';
    for (let tree = 0; tree < depth.trees; tree++) drawTree(brush, random, depth, placeTree(tree, depth, random));
    drawGround(brush, random, depth);
  });
}

/** Spreads trees evenly with some disorder, and leaves the light in the middle open in front. */
function placeTree(tree: number, { trees, near }: Depth, random: Random): number {
  const x = ((tree + drawBetween(random, 0.15, 0.85)) / trees) * (WIDTH + MARGIN * 2);
  const off = x - MARGIN - LIGHT_X;
  const open = 105 * near ** 2;
  return Math.abs(off) < open ? x + Math.sign(off || 1) * open : x;
}

function drawTree(brush: Brush, random: Random, { near, width }: Depth, x: number): void {
  const foot = width * drawBetween(random, 0.75, 1.25);
  const lean = drawBetween(random, -18, 18);
  const sway = drawBetween(random, -7, 7);
  const floor = HEIGHT - 92 + near * 74;
  brush.beginPath();
  brush.moveTo(x + lean - foot * 0.32, -10);
  brush.bezierCurveTo(x - foot * 0.4, floor * 0.4, x + sway - foot * 0.5, floor * 0.96, x - foot * 0.98, floor + 26);
  brush.lineTo(x + foot * 0.98, floor + 26);
  brush.bezierCurveTo(x + sway + foot * 0.5, floor * 0.96, x + foot * 0.4, floor * 0.4, x + lean + foot * 0.32, -10);
  brush.fill();
  const count = Math.round(drawBetween(random, 8, 16) * (1.25 - near * 0.55));
  for (let branch = 0; branch < count; branch++)
    drawBranch(brush, random, x + lean * 0.6, drawBetween(random, -20, floor * 0.66), 0.35 + near * 0.9);
}

function drawBranch(brush: Brush, random: Random, x: number, y: number, scale: number): void {
  const side = random() < 0.5 ? -1 : 1;
  const reach = drawBetween(random, 34, 92) * scale * side;
  const droop = drawBetween(random, 8, 30) * scale;
  brush.lineWidth = 1.5 * scale;
  brush.beginPath();
  brush.moveTo(x, y);
  brush.quadraticCurveTo(x + reach * 0.5, y - droop * 0.3, x + reach, y + droop);
  brush.stroke();
  brush.lineWidth = 0.9 * scale;
  for (let twig = 0.14; twig < 1; twig += 0.035)
    drawTwig(brush, random, x + reach * twig, bend(y, droop, twig), scale * (1.15 - twig * 0.75), side);
}

function bend(y: number, droop: number, share: number): number {
  return y - 0.6 * droop * share * (1 - share) + droop * share * share;
}

function drawTwig(brush: Brush, random: Random, x: number, y: number, scale: number, side: number): void {
  brush.beginPath();
  brush.moveTo(x, y);
  brush.lineTo(x + side * drawBetween(random, 1, 9) * scale, y + drawBetween(random, 5, 15) * scale);
  brush.stroke();
}

function drawGround(brush: Brush, random: Random, { near }: Depth): void {
  const floor = HEIGHT - 92 + near * 74;
  brush.beginPath();
  brush.moveTo(0, HEIGHT);
  for (let x = 0; x <= WIDTH + MARGIN * 2; x += 8)
    brush.lineTo(x, floor + 14 + (sampleTile(mounds, x * 0.002, near * 3) - 0.5) * 46 * near);
  brush.lineTo(WIDTH + MARGIN * 2, HEIGHT);
  brush.fill();
  brush.lineWidth = 0.6 + near;
  for (let fern = 0; fern < 130 * near; fern++)
    drawFern(brush, random, random() * (WIDTH + MARGIN * 2), floor + 24, near);
}

function drawFern(brush: Brush, random: Random, x: number, y: number, near: number): void {
  for (let leaf = 0; leaf < 5; leaf++) {
    const reach = drawBetween(random, -30, 30) * near;
    const rise = drawBetween(random, 12, 40) * near;
    brush.beginPath();
    brush.moveTo(x, y);
    brush.quadraticCurveTo(x + reach * 0.3, y - rise, x + reach, y - rise * 0.7);
    brush.stroke();
  }
}
