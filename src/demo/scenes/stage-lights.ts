import type { Color } from '../drawing/color.ts';
import { writeColor } from '../drawing/color.ts';
import { createGlow, createVignette, drawGlow } from '../drawing/glow.ts';
import type { Layer } from '../drawing/layer.ts';
import { createLayer, createPixels, drawApart, shadePixels } from '../drawing/layer.ts';
import { mix, smoothstep, wave } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';
import type { Brush, Scene } from '../scene.ts';
import { createBand } from './stage-band.ts';
import { drawConfetti, listConfetti } from './stage-confetti.ts';
import { drawCrowd, listCrowd } from './stage-crowd.ts';

const WIDTH = 960;
const HEIGHT = 540;
const RIG = 34;

const COLORS: readonly [Color, Color, Color, Color] = [
  [255, 176, 84],
  [255, 84, 96],
  [255, 226, 178],
  [255, 120, 52],
];

type Lamp = {
  readonly x: number;
  readonly y: number;
  readonly beam: Layer;
  readonly flare: Layer;
  readonly rest: number;
  readonly sweep: number;
  readonly phase: number;
  readonly width: number;
};

const smoke = createNoiseTile({ size: 256, cells: 4, octaves: 5, seed: 73 });

function createBeam(color: Color): Layer {
  return shadePixels(createPixels(160, 400), (x, y, out) => {
    const spread = 4 + y * 0.16;
    const off = Math.abs(x + 0.5 - 80) / spread;
    const core = Math.exp(-((off * 1.6) ** 2)) * 0.7 + Math.exp(-((off * 3.4) ** 2)) * 0.5;
    const length = smoothstep(400, 60, y) * (0.62 + 26 / (y + 34));
    const white = Math.exp(-y / 55) * 0.7;
    out[0] = mix(color[0], 255, white);
    out[1] = mix(color[1], 246, white);
    out[2] = mix(color[2], 230, white);
    out[3] = Math.min(255, 300 * core * length * smoothstep(1.6, 1, off));
  });
}

function listLamps(): Lamp[] {
  const random = createRandom(9);
  const beams = COLORS.map(createBeam);
  const flares = COLORS.map((color) =>
    createGlow([mix(color[0], 255, 0.6), mix(color[1], 255, 0.6), mix(color[2], 255, 0.5)], 48, 2.6),
  );
  return makeMany(11, (index) => {
    const kind = [0, 2, 1, 2, 3, 0, 3, 2, 1, 2, 0][index] ?? 0;
    const [beam, flare] = [beams[kind] ?? createBeam([255, 255, 255]), flares[kind] ?? createGlow([255, 255, 255])];
    const x = WIDTH / 2 + (index - 5) * 88;
    return {
      x,
      y: RIG + Math.abs(index - 5) * 2,
      beam,
      flare,
      rest: (index - 5) * 0.03,
      sweep: drawBetween(random, 0.2, 0.36),
      phase: index * 0.1,
      width: drawBetween(random, 290, 430),
    };
  });
}

function drawBeams(brush: Brush, lamps: readonly Lamp[], t: number): void {
  brush.globalCompositeOperation = 'lighter';
  for (const [index, { x, y, beam, rest, sweep, phase, width }] of lamps.entries()) {
    drawApart(brush, () => {
      brush.translate(x, y);
      brush.rotate(rest + sweep * wave(t, 2, phase * (index % 2 ? 1 : -1)));
      brush.globalAlpha = 0.62 + 0.3 * wave(t, 2, phase * 2.3);
      brush.drawImage(beam.canvas, -width / 2, 0, width, 560);
    });
  }
  brush.globalCompositeOperation = 'source-over';
}

/** Smoke drifts through the beams and makes them uneven. */
function drawSmoke(brush: Brush, field: ReturnType<typeof createPixels>, t: number): void {
  shadePixels(field, (x, y, out) => {
    const puff = sampleTile(smoke, x / 300 - t, y / 220 + 0.3) * 0.6 + sampleTile(smoke, x / 170 + t, y / 150) * 0.4;
    const light = mix(132, 255, smoothstep(0.28, 0.66, puff));
    out[0] = out[1] = out[2] = light;
  });
  brush.globalCompositeOperation = 'multiply';
  brush.drawImage(field.layer.canvas, 0, 0, WIDTH, HEIGHT);
  brush.globalCompositeOperation = 'source-over';
}

function drawBackGlow(brush: Brush, t: number): void {
  brush.fillStyle = '#0b0407';
  brush.fillRect(0, 0, WIDTH, HEIGHT);
  const warmth = 0.68 + 0.12 * wave(t, 2);
  const glow = brush.createRadialGradient(WIDTH / 2, 390, 20, WIDTH / 2, 390, 480);
  glow.addColorStop(0, writeColor([255, 132, 52], warmth));
  glow.addColorStop(0.4, writeColor([196, 52, 42], warmth * 0.62));
  glow.addColorStop(1, writeColor([60, 12, 34], 0.15));
  brush.fillStyle = glow;
  brush.fillRect(0, 0, WIDTH, HEIGHT);
}

function drawRig(brush: Brush, lamps: readonly Lamp[], t: number): void {
  brush.strokeStyle = '#120709';
  brush.lineWidth = 3;
  brush.beginPath();
  for (let x = -20; x < WIDTH; x += 22) {
    brush.moveTo(x, 8);
    brush.lineTo(x + 11, 26);
    brush.lineTo(x + 22, 8);
  }
  brush.moveTo(0, 8);
  brush.lineTo(WIDTH, 8);
  brush.moveTo(0, 26);
  brush.lineTo(WIDTH, 26);
  brush.stroke();
  brush.globalCompositeOperation = 'lighter';
  for (const { x, y, flare, phase } of lamps) drawGlow(brush, flare, x, y, 34 + 6 * wave(t, 2, phase * 2.3), 0.95);
  brush.globalCompositeOperation = 'source-over';
}

export const stageLights: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const lamps = listLamps();
    const field = createPixels(WIDTH / 4, HEIGHT / 4);
    const crowd = listCrowd(WIDTH);
    const drawBand = createBand();
    const papers = listConfetti(COLORS);
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    const air = createLayer(WIDTH, HEIGHT);
    return (brush, t) => {
      drawBackGlow(air.brush, t);
      drawBeams(air.brush, lamps, t);
      drawSmoke(air.brush, field, t);
      brush.drawImage(air.canvas, 0, 0);
      drawBand(brush, t);
      drawRig(brush, lamps, t);
      drawConfetti(brush, papers, t);
      drawCrowd(brush, crowd, t);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
