import { fillDisc } from '../drawing/glow.ts';
import { wave } from '../drawing/motion.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';
import type { Brush } from '../scene.ts';

type Fan = {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly row: number;
  readonly phase: number;
  readonly arms: 0 | 1 | 2;
  readonly reach: number;
};

/** Two jumps in three seconds, for a loop of 14 s. */
const JUMPS = 20;

const ROW_COLORS = ['#431912', '#2a0f0e', '#160809', '#060203'];

export function listCrowd(width: number): Fan[] {
  const random = createRandom(47);
  return [0, 1, 2, 3].flatMap((row) => {
    const count = 46 - row * 8;
    return makeMany(count, (index): Fan => {
      const mood = random();
      return {
        x: ((index + drawBetween(random, 0.1, 0.9)) / count) * (width + 40) - 20,
        y: 432 + row * 27 + drawBetween(random, -6, 6),
        size: 7.5 + row * 2.9 + drawBetween(random, -0.8, 0.8),
        row,
        phase: drawBetween(random, -0.07, 0.07),
        arms: mood < 0.24 ? 2 : mood < 0.52 ? 1 : 0,
        reach: drawBetween(random, 0.75, 1.15),
      };
    });
  });
}

export function drawCrowd(brush: Brush, crowd: readonly Fan[], t: number): void {
  brush.lineCap = 'round';
  for (const fan of crowd) drawFan(brush, fan, t);
}

function drawFan(brush: Brush, fan: Fan, t: number): void {
  const { x, size, row, phase, arms } = fan;
  const y = fan.y - (0.5 + 0.5 * wave(t, JUMPS, phase)) * size * 0.55;
  brush.fillStyle = ROW_COLORS[row] ?? '#040305';
  brush.strokeStyle = brush.fillStyle;
  fillDisc(brush, x, y, size * 0.72);
  brush.beginPath();
  brush.moveTo(x - size * 1.55, 560);
  brush.bezierCurveTo(x - size * 1.6, y + size * 1.1, x - size * 0.9, y + size * 0.85, x, y + size * 0.8);
  brush.bezierCurveTo(x + size * 0.9, y + size * 0.85, x + size * 1.6, y + size * 1.1, x + size * 1.55, 560);
  brush.fill();
  if (arms > 0) drawArm(brush, fan, y, t, 1);
  if (arms > 1) drawArm(brush, fan, y, t, -1);
}

function drawArm(brush: Brush, { x, size, phase, reach }: Fan, y: number, t: number, side: number): void {
  const swing = wave(t, JUMPS / 2, phase + 0.2) * size * 0.5;
  const handX = x + side * size * 1.1 + swing;
  const handY = y - size * 2.5 * reach;
  brush.lineWidth = size * 0.44;
  brush.beginPath();
  brush.moveTo(x + side * size * 0.95, y + size * 1.5);
  brush.quadraticCurveTo(x + side * size * 1.55, y - size * 0.3, handX, handY);
  brush.stroke();
  fillDisc(brush, handX, handY - size * 0.1, size * 0.32);
}
