import { wave } from '../drawing/motion.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';
import type { Brush } from '../scene.ts';

type Strand = {
  readonly x: number;
  readonly height: number;
  readonly width: number;
  readonly phase: number;
  readonly color: string;
};

/** Kelp frames the picture at both sides and leaves the middle free. */
export function listKelp(): { far: Strand[]; near: Strand[] } {
  const random = createRandom(3);
  const plant = (count: number, color: string, inner: number, grow: number): Strand[] =>
    makeMany(count, (index) => {
      const off = drawBetween(random, inner, 500);
      return {
        x: 480 + (index % 2 ? off : -off),
        height: drawBetween(random, 150, 330) * grow,
        width: drawBetween(random, 5, 9) * grow,
        phase: random(),
        color,
      };
    });
  return { far: plant(18, '#0a4f6e', 300, 0.9), near: plant(13, '#04202f', 395, 1.45) };
}

export function drawKelp(brush: Brush, strands: readonly Strand[], t: number): void {
  for (const strand of strands) {
    brush.fillStyle = strand.color;
    brush.strokeStyle = strand.color;
    drawStrand(brush, strand, t);
  }
}

function drawStrand(brush: Brush, { x, height, width, phase }: Strand, t: number): void {
  const segments = 16;
  brush.lineWidth = width * 0.35;
  brush.beginPath();
  brush.moveTo(x, 560);
  for (let segment = 1; segment <= segments; segment++)
    brush.lineTo(...swayAt(x, height, phase, segment / segments, t));
  brush.stroke();
  for (let leaf = 2; leaf <= segments; leaf++) {
    const [stemX, stemY] = swayAt(x, height, phase, leaf / segments, t);
    drawLeaf(brush, stemX, stemY, width, leaf % 2 ? 1 : -1, wave(t, 2, phase - leaf * 0.05));
  }
}

/** A sway that grows towards the tip and runs up the strand. */
function swayAt(x: number, height: number, phase: number, share: number, t: number): [number, number] {
  const swing = wave(t, 1, phase - share * 0.35) * 30 + wave(t, 2, phase - share * 0.8) * 9;
  return [x + swing * share * share * (height / 300), 560 - height * share];
}

function drawLeaf(brush: Brush, x: number, y: number, width: number, side: number, lift: number): void {
  const reach = width * 4.4 * side;
  brush.beginPath();
  brush.moveTo(x, y);
  brush.quadraticCurveTo(
    x + reach * 0.5,
    y - width * 2.6 - lift * width,
    x + reach,
    y - width * 1.6 - lift * width * 1.8,
  );
  brush.quadraticCurveTo(x + reach * 0.55, y - width * 0.5, x, y);
  brush.fill();
}
