import type { Random } from '../drawing/seeded.ts';
import { createRandom, drawBetween } from '../drawing/seeded.ts';
import type { Brush } from '../scene.ts';

/** `open` leaves this many pixels to both sides of the middle with lower trees, so that the view stays free. */
export type PineRow = {
  readonly seed: number;
  readonly width: number;
  readonly floor: number;
  readonly low: number;
  readonly high: number;
  readonly gap: number;
  readonly color: string;
  readonly open: number;
  readonly snow?: string;
};

export function drawPineRow(brush: Brush, row: PineRow): void {
  const random = createRandom(row.seed);
  for (let x = -row.gap; x < row.width + row.gap; x += row.gap * drawBetween(random, 0.5, 1.5)) {
    const away = Math.min(1, Math.abs(x - row.width / 2) / (row.open || 1));
    const tall = drawBetween(random, row.low, row.high) * (0.35 + 0.65 * away ** 1.5);
    drawPine(brush, random, x, row.floor + 2, tall, row.color, row.snow);
  }
}

/** Tiers of hanging branches, each wider than the one above; `snow` lies on top of each tier. */
export function drawPine(
  brush: Brush,
  random: Random,
  x: number,
  floor: number,
  tall: number,
  color: string,
  snow?: string,
): void {
  const tiers = Math.max(5, Math.round(tall / (snow ? 19 : 9)));
  brush.fillStyle = color;
  brush.fillRect(x - tall * 0.02, floor - tall * 0.16, tall * 0.04, tall * 0.16);
  for (let tier = tiers; tier >= 1; tier--) {
    const top = floor - tall + ((tier - 1) / tiers) * tall * 0.92;
    const reach = tall * 0.23 * (tier / tiers) ** 0.85 * drawBetween(random, 0.85, 1.15);
    const drop = (tall / tiers) * 1.75;
    brush.fillStyle = color;
    traceTier(brush, x, top, reach, drop, 1);
    if (!snow) continue;
    brush.fillStyle = snow;
    drapeSnow(brush, random, x, top, reach, drop);
  }
}

/** Snow lies thick by the trunk and ends in uneven tongues on the branches. */
function drapeSnow(brush: Brush, random: Random, x: number, top: number, reach: number, drop: number): void {
  brush.beginPath();
  brush.moveTo(x, top - drop * 0.04);
  brush.quadraticCurveTo(x + reach * 0.3, top + drop * 0.56, x + reach * 0.93, top + drop * 0.94);
  for (let tongue = 5; tongue >= -5; tongue--) {
    const share = (tongue / 5) * 0.86;
    const hem = top + drop * (0.3 + 0.62 * Math.abs(share) ** 1.1);
    const hang = drop * drawBetween(random, 0.02, 0.26) * (tongue % 2 ? 1 : 0.2);
    brush.lineTo(x + reach * share, hem + hang);
  }
  brush.lineTo(x - reach * 0.93, top + drop * 0.94);
  brush.quadraticCurveTo(x - reach * 0.3, top + drop * 0.56, x, top - drop * 0.04);
  brush.fill();
}

function traceTier(brush: Brush, x: number, top: number, reach: number, drop: number, sag: number): void {
  brush.beginPath();
  brush.moveTo(x, top);
  brush.quadraticCurveTo(x + reach * 0.3, top + drop * 0.6, x + reach, top + drop);
  brush.quadraticCurveTo(x + reach * 0.4, top + drop * (0.75 + 0.15 * sag), x, top + drop * (0.7 + 0.12 * sag));
  brush.quadraticCurveTo(x - reach * 0.4, top + drop * (0.75 + 0.15 * sag), x - reach, top + drop);
  brush.quadraticCurveTo(x - reach * 0.3, top + drop * 0.6, x, top);
  brush.fill();
}
