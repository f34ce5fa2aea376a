import { createGlow, createVignette, drawGlow } from '../drawing/glow.ts';
import type { Layer } from '../drawing/layer.ts';
import { createPixels, drawApart, shadePixels } from '../drawing/layer.ts';
import { driftTwice, fadeInOut, smoothstep, wave, wrap } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';
import type { Brush, Scene } from '../scene.ts';
import type { Depth } from './forest-trees.ts';
import { createTrees, HEIGHT, LIGHT_X, MARGIN, WIDTH } from './forest-trees.ts';

const depths: readonly Depth[] = [
  { near: 0.1, trees: 46, width: 6, seed: 4 },
  { near: 0.26, trees: 30, width: 8, seed: 15 },
  { near: 0.45, trees: 19, width: 12, seed: 23 },
  { near: 0.7, trees: 11, width: 18, seed: 37 },
  { near: 1, trees: 6, width: 30, seed: 52 },
];

const puffs = createNoiseTile({ size: 256, cells: 3, octaves: 6, seed: 9 });

function paintAir(): Layer {
  return shadePixels(createPixels(WIDTH, HEIGHT), (x, y, out) => {
    const light = Math.exp(-Math.hypot((x - LIGHT_X) * 0.8, (y - 110) * 0.72) / 180);
    const depth = smoothstep(0, 560, y);
    out[0] = 104 + 156 * light + 26 * depth;
    out[1] = 128 + 122 * light + 20 * depth;
    out[2] = 108 + 66 * light + 12 * depth;
  });
}

function createMist(): Layer {
  return shadePixels(createPixels(480, 200), (x, y, out) => {
    const puff = sampleTile(puffs, x / 480, y / 300);
    [out[0], out[1], out[2]] = [214, 220, 190];
    out[3] =
      225 *
      smoothstep(0.3, 0.85, puff) *
      smoothstep(0, 80, y) *
      smoothstep(200, 130, y) *
      smoothstep(0, 120, x) *
      smoothstep(480, 360, x);
  });
}

function drawMist(brush: Brush, mist: Layer, near: number, t: number): void {
  for (const { offset, weight } of driftTwice(t, 1, near * 1.7)) {
    brush.globalAlpha = weight * (0.85 - near * 0.5);
    brush.drawImage(mist.canvas, -360 + offset * 300, 160 + near * 90, WIDTH + 720, 360);
  }
  brush.globalAlpha = 1;
}

/** One soft beam pointing down, to be turned around the light. */
function createBeam(): Layer {
  return shadePixels(createPixels(64, 320), (x, y, out) => {
    const spread = 7 + y * 0.05;
    [out[0], out[1], out[2]] = [255, 238, 178];
    out[3] = 190 * Math.exp(-(((x - 32) / spread) ** 2)) * smoothstep(0, 60, y) * smoothstep(320, 120, y);
  });
}

function drawBeams(brush: Brush, beam: Layer, t: number): void {
  brush.globalCompositeOperation = 'screen';
  for (let ray = 0; ray < 11; ray++) {
    const strength = 0.5 + 0.4 * wave(t, 1 + (ray % 2), ray * 0.37);
    drawApart(brush, () => {
      brush.translate(LIGHT_X + 150, -190);
      brush.rotate(ray * 0.115 - 0.22 + 0.022 * wave(t, 1, ray * 0.61));
      brush.globalAlpha = Math.max(0, strength);
      brush.drawImage(beam.canvas, -34 - (ray % 3) * 16, 60, 68 + (ray % 3) * 32, 820);
    });
  }
  brush.globalCompositeOperation = 'source-over';
}

type Mote = {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly phase: number;
  readonly cycles: number;
};

function createMotes(): Mote[] {
  const random = createRandom(66);
  return makeMany(70, () => ({
    x: drawBetween(random, 200, 860),
    y: drawBetween(random, 60, 500),
    size: drawBetween(random, 1.4, 4.2),
    phase: random(),
    cycles: random() < 0.7 ? 1 : 2,
  }));
}

function drawMotes(brush: Brush, glow: Layer, motes: readonly Mote[], t: number): void {
  brush.globalCompositeOperation = 'screen';
  for (const { x, y, size, phase, cycles } of motes) {
    const life = wrap(t * cycles + phase);
    drawGlow(
      brush,
      glow,
      x + 22 * wave(t, cycles, phase * 3) + life * 26,
      y - life * 46,
      size * 1.6,
      0.75 * fadeInOut(life, 0.35),
    );
  }
  brush.globalCompositeOperation = 'source-over';
}

export const forest: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const air = paintAir();
    const stands = depths.map((depth) => ({ near: depth.near, trees: createTrees(depth) }));
    const mist = createMist();
    const beam = createBeam();
    const glow = createGlow([255, 248, 210], 16);
    const motes = createMotes();
    const vignette = createVignette(WIDTH, HEIGHT, 0.55);
    return (brush, t) => {
      brush.drawImage(air.canvas, 0, 0);
      for (const { near, trees } of stands) {
        brush.drawImage(trees.canvas, -MARGIN + wave(t, 1, 0.25) * near ** 1.5 * 30, 0);
        if (near < 1) drawMist(brush, mist, near, t);
        if (near === 0.45 || near === 0.7) drawBeams(brush, beam, t);
      }
      drawMotes(brush, glow, motes, t);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
