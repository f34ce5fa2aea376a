import { mixColor, parseColor, writeColor } from '../drawing/color.ts';
import type { Random } from '../drawing/seeded.ts';
import { createRandom, drawBetween, pickOne } from '../drawing/seeded.ts';
import type { Brush } from '../scene.ts';

export type Pane = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly color: string;
};

export type WakingPane = Pane & { readonly phase: number; readonly cycles: number };

export type Building = {
  readonly x: number;
  readonly top: number;
  readonly width: number;
  readonly tint: string;
  readonly lit: readonly Pane[];
  readonly waking: readonly WakingPane[];
  readonly mast: { readonly x: number; readonly y: number } | undefined;
  readonly phase: number;
};

type Row = {
  readonly seed: number;
  readonly low: number;
  readonly high: number;
  readonly narrow: number;
  readonly wide: number;
  readonly pane: number;
  readonly haze: number;
};

const rows: readonly [Row, Row, Row] = [
  { seed: 7, low: 90, high: 210, narrow: 18, wide: 34, pane: 1.4, haze: 0.62 },
  { seed: 19, low: 60, high: 176, narrow: 26, wide: 50, pane: 2, haze: 0.3 },
  { seed: 31, low: 34, high: 118, narrow: 34, wide: 66, pane: 2.6, haze: 0.06 },
];

const HAZE = parseColor('#43294f');
const STONE = parseColor('#0a0a16');

/** `depth` 0 is the farthest of three rows. */
export function listBuildings(depth: 0 | 1 | 2, width: number, shore: number): Building[] {
  const row = rows[depth];
  const random = createRandom(row.seed);
  const buildings: Building[] = [];
  for (let x = -12; x < width; ) {
    const building = planBuilding(random, row, x, width, shore);
    buildings.push(building);
    x += building.width + drawBetween(random, -2, 9);
  }
  return buildings;
}

/** Towers grow towards the middle, so that a narrow crop still shows the heart of the city. */
function planBuilding(random: Random, row: Row, x: number, span: number, shore: number): Building {
  const width = drawBetween(random, row.narrow, row.wide);
  const center = Math.exp(-(((x + width / 2 - span * 0.5) / (span * 0.24)) ** 2));
  const height = drawBetween(random, row.low, row.high) * (0.62 + center * 0.55);
  const top = Math.round(shore - height);
  const place = { x: Math.round(x), top, width: Math.round(width) };
  const mast =
    random() < 0.3 && height > row.high * 0.6
      ? { x: place.x + place.width / 2, y: top - drawBetween(random, 10, 26) }
      : undefined;
  return {
    ...place,
    ...planPanes(random, row, place, shore),
    mast,
    phase: random(),
    tint: writeColor(mixColor(STONE, HAZE, row.haze)),
  };
}

function planPanes(
  random: Random,
  { pane, haze }: Row,
  place: { x: number; top: number; width: number },
  shore: number,
): { lit: Pane[]; waking: WakingPane[] } {
  const hue = pickOne(random, ['#ffcf87', '#ffb050', '#ffe2b0', '#ff7d3c', '#6fb0ff', '#a5d2ff', '#ffc060', '#5c8dff']);
  const share = drawBetween(random, 0.34, 0.8);
  const lit: Pane[] = [];
  const waking: WakingPane[] = [];
  for (let y = place.top + pane * 3; y < shore - 10; y += pane * 2.3) {
    for (let x = place.x + pane * 1.6; x < place.x + place.width - pane * 2; x += pane * 2) {
      if (random() > share) continue;
      const light = drawBetween(random, 0.45, 1) * (1 - haze * 0.5);
      const shown = {
        x,
        y,
        width: pane,
        height: pane * 1.25,
        color: writeColor(mixColor(parseColor(hue), [255, 236, 200], random() * 0.4), light),
      };
      if (random() < 0.06) waking.push({ ...shown, phase: random(), cycles: random() < 0.6 ? 1 : 2 });
      else lit.push(shown);
    }
  }
  return { lit, waking };
}

export function drawBuildings(brush: Brush, buildings: readonly Building[], depth: number, shore: number): void {
  for (const building of buildings) {
    drawWalls(brush, building, shore);
    drawPanes(brush, [building]);
  }
  const glow = brush.createLinearGradient(0, shore - 110, 0, shore);
  glow.addColorStop(0, 'rgba(255,120,90,0)');
  glow.addColorStop(1, `rgba(255,124,84,${0.2 - depth * 0.05})`);
  brush.globalCompositeOperation = 'source-atop';
  brush.fillStyle = glow;
  brush.fillRect(0, shore - 110, 2000, 110);
  brush.globalCompositeOperation = 'source-over';
}

export function drawPanes(brush: Brush, buildings: readonly Building[]): void {
  for (const { x, y, width, height, color } of buildings.flatMap((building) => building.lit)) {
    brush.fillStyle = color;
    brush.fillRect(x, y, width, height);
  }
}

function drawWalls(brush: Brush, { x, top, width, tint, mast }: Building, shore: number): void {
  brush.fillStyle = tint;
  brush.fillRect(x, top, width, shore - top);
  brush.fillRect(x + width * 0.22, top - 5, width * 0.5, 6);
  if (mast) brush.fillRect(mast.x - 0.8, mast.y, 1.6, top - mast.y);
  const sheen = brush.createLinearGradient(x, 0, x + width, 0);
  sheen.addColorStop(0, 'rgba(150,150,220,0.10)');
  sheen.addColorStop(0.5, 'rgba(0,0,0,0)');
  sheen.addColorStop(1, 'rgba(0,0,0,0.3)');
  brush.fillStyle = sheen;
  brush.fillRect(x, top, width, shore - top);
}
