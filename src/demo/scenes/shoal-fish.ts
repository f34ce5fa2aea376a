import { mixColor, parseColor, writeColor } from '../drawing/color.ts';
import { clamp, mix, wave } from '../drawing/motion.ts';
import { createRandom, drawBell, drawBetween, makeMany } from '../drawing/seeded.ts';
import type { Brush } from '../scene.ts';

type Fish = {
  readonly phase: number;
  readonly reach: number;
  readonly rise: number;
  readonly length: number;
  readonly cycles: number;
  readonly beat: number;
};

/**
 * `depth` is -1 far away to 1 near; `facing` is 1 for a fish that swims to the right, seen from its side, and near 0
 * when it turns.
 */
type PlacedFish = {
  readonly x: number;
  readonly y: number;
  readonly depth: number;
  readonly facing: number;
  readonly tilt: number;
  readonly length: number;
  readonly bend: number;
};

const DEEP_BLUE = parseColor('#1b7fa3');
const BACK = parseColor('#0a2f4a');
const BELLY = parseColor('#dff6f4');

/** A shoal turns around a slanting ring in the middle of the picture. */
export function listFish(count: number): Fish[] {
  const random = createRandom(12);
  return makeMany(count, () => {
    const reach = 0.42 + 0.58 * Math.sqrt(random());
    return {
      phase: random(),
      reach,
      rise: drawBell(random) * (0.42 - reach * 0.16),
      length: drawBetween(random, 19, 31),
      cycles: reach < 0.66 ? 2 : 1,
      beat: drawBetween(random, 0, 1),
    };
  });
}

export function placeFish({ phase, reach, rise, length, cycles, beat }: Fish, t: number): PlacedFish {
  const turn = (t * cycles + phase) * Math.PI * 2;
  const depth = Math.sin(turn);
  const scale = 1 + depth * reach * 0.42;
  return {
    x: 490 + wave(t, 1) * 36 + Math.cos(turn) * reach * 300 * scale,
    y: 268 + wave(t, 1, 0.25) * 16 + (rise * 168 + depth * reach * 62 + wave(t, 2, phase) * 9) * scale,
    depth: depth * reach,
    facing: -Math.sin(turn),
    tilt: -Math.cos(turn) * 0.22 + wave(t, 2, phase + 0.25) * 0.1,
    length: length * scale,
    bend: wave(t, 22 + cycles * 6, beat),
  };
}

export function drawFish(brush: Brush, { x, y, depth, facing, tilt, length, bend }: PlacedFish): void {
  const nearness = clamp(0.5 + depth * 0.5);
  const width = Math.sign(facing || 1) * Math.max(0.24, Math.abs(facing));
  const shine = Math.max(0, Math.sin((tilt + bend * 0.05) * 9 + x * 0.02)) * 0.5;
  const body = brush.createLinearGradient(0, -length * 0.2, 0, length * 0.2);
  body.addColorStop(0, writeColor(mixColor(DEEP_BLUE, BACK, nearness)));
  body.addColorStop(0.5, writeColor(mixColor(DEEP_BLUE, mixColor([62, 136, 160], BELLY, shine), 0.3 + nearness * 0.7)));
  body.addColorStop(1, writeColor(mixColor(DEEP_BLUE, BELLY, nearness * (0.5 + shine))));
  brush.save();
  brush.translate(x, y);
  brush.scale(width, 1);
  brush.rotate(tilt);
  brush.globalAlpha = mix(0.5, 1, nearness);
  brush.fillStyle = body;
  traceFish(brush, length, bend * length * 0.1);
  brush.fill();
  brush.restore();
}

function traceFish(brush: Brush, length: number, bend: number): void {
  const high = length * 0.17;
  brush.beginPath();
  brush.moveTo(length * 0.5, 0);
  brush.quadraticCurveTo(length * 0.18, -high * 1.3, -length * 0.34, bend * 0.5 - high * 0.16);
  brush.lineTo(-length * 0.58, bend - high * 0.95);
  brush.lineTo(-length * 0.48, bend);
  brush.lineTo(-length * 0.58, bend + high * 0.95);
  brush.lineTo(-length * 0.34, bend * 0.5 + high * 0.16);
  brush.quadraticCurveTo(length * 0.18, high * 1.3, length * 0.5, 0);
}
