import type { Color } from '../drawing/color.ts';
import { writeColor } from '../drawing/color.ts';
import { drawApart } from '../drawing/layer.ts';
import { wave, wrap } from '../drawing/motion.ts';
import { createRandom, makeMany } from '../drawing/seeded.ts';
import type { Brush } from '../scene.ts';

const WIDTH = 960;
const HEIGHT = 540;
const PAPERS = 70;

type Paper = { readonly x: number; readonly phase: number; readonly spin: number; readonly color: Color };

export function listConfetti(colors: readonly [Color, ...Color[]]): Paper[] {
  const random = createRandom(19);
  return makeMany(PAPERS, (index) => ({
    x: random() * WIDTH,
    phase: random(),
    spin: Math.floor(random() * 4),
    color: colors[index % colors.length] ?? colors[0],
  }));
}

export function drawConfetti(brush: Brush, papers: readonly Paper[], t: number): void {
  for (const { x, phase, spin, color } of papers) {
    const life = wrap(t + phase);
    const turn = wave(t, 10 + spin, phase);
    drawApart(brush, () => {
      brush.translate(x + wave(t, 3, phase) * 24, life * (HEIGHT + 20) - 10);
      brush.rotate(wave(t, 2, phase) * 1.2);
      brush.fillStyle = writeColor(
        [color[0] * (0.7 + 0.3 * turn), color[1] * (0.7 + 0.3 * turn), color[2] * (0.7 + 0.3 * turn)],
        0.85,
      );
      brush.fillRect(-2.6, -1.6 * turn, 5.2, 3.6 * turn);
    });
  }
}
