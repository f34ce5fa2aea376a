import { parseColor, writeColor } from '../drawing/color.ts';
import { createVignette } from '../drawing/glow.ts';
import type { Layer } from '../drawing/layer.ts';
import { createLayer } from '../drawing/layer.ts';
import { mix, wave, wrap } from '../drawing/motion.ts';
import { createRandom, drawBetween, makeMany, pickOne } from '../drawing/seeded.ts';
import type { Brush, Scene } from '../scene.ts';
import type { Glass } from './rain-drops.ts';
import { createDrops, shadeDrops } from './rain-drops.ts';

const WIDTH = 960;
const HEIGHT = 540;
const SMALL = 8;

type Light = {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly color: string;
  readonly alpha: number;
  readonly phase: number;
};

type Car = {
  readonly y: number;
  readonly size: number;
  readonly color: string;
  readonly way: 1 | -1;
  readonly phase: number;
};

function listLights(): Light[] {
  const random = createRandom(14);
  return makeMany(84, () => {
    const near = random();
    return {
      x: drawBetween(random, -20, WIDTH + 20),
      y: 262 + (random() + random() - 1) * 150,
      size: mix(8, 40, near ** 1.8),
      color: pickOne(random, [
        '#ff9a2e',
        '#ff6a1c',
        '#ffc060',
        '#ff3a2c',
        '#ffa53a',
        '#3fb4f0',
        '#ffd9a0',
        '#24c9b0',
        '#ff4a86',
        '#ff8a2a',
      ]),
      alpha: mix(0.9, 0.46, near),
      phase: random(),
    };
  });
}

function listCars(): Car[] {
  const random = createRandom(25);
  return makeMany(18, (index) => {
    const way = index % 2 ? 1 : -1;
    return {
      y: drawBetween(random, 318, 366) + (way === 1 ? 26 : 0),
      size: drawBetween(random, 9, 22),
      color: way === 1 ? '#ff2a1c' : '#ffdca0',
      way,
      phase: index / 18 + random() * 0.03,
    };
  });
}

/** A light out of focus: an even disc with a slightly brighter rim, as a lens draws it. */
function drawDisc(brush: Brush, x: number, y: number, size: number, color: string, alpha: number): void {
  const tint = parseColor(color);
  const disc = brush.createRadialGradient(x, y, 0, x, y, size);
  disc.addColorStop(0, writeColor(tint, alpha * 0.72));
  disc.addColorStop(0.82, writeColor(tint, alpha * 0.86));
  disc.addColorStop(0.93, writeColor(tint, alpha));
  disc.addColorStop(1, writeColor(tint, 0));
  brush.fillStyle = disc;
  brush.fillRect(x - size, y - size, size * 2, size * 2);
}

function drawDusk(brush: Brush): void {
  const dusk = brush.createLinearGradient(0, 0, 0, HEIGHT);
  dusk.addColorStop(0, '#070d22');
  dusk.addColorStop(0.42, '#151b3c');
  dusk.addColorStop(0.58, '#2e2238');
  dusk.addColorStop(0.76, '#10132a');
  dusk.addColorStop(1, '#070b1a');
  brush.fillStyle = dusk;
  brush.fillRect(0, 0, WIDTH, HEIGHT);
}

function drawStreet(brush: Brush, lights: readonly Light[], cars: readonly Car[], t: number): void {
  drawDusk(brush);
  brush.globalCompositeOperation = 'lighter';
  for (const { x, y, size, color, alpha, phase } of lights) {
    drawDisc(
      brush,
      x + wave(t, 1, phase) * 7,
      y + wave(t, 1, phase + 0.25) * 2,
      size,
      color,
      alpha * (0.84 + 0.16 * wave(t, 2, phase)),
    );
  }
  for (const { y, size, color, way, phase } of cars) {
    const x = wrap(way * t + phase) * (WIDTH + 120) - 60;
    drawDisc(brush, x, y, size, color, 0.7);
    drawDisc(brush, x + size * 1.8, y + 2, size, color, 0.7);
  }
  brush.globalCompositeOperation = 'source-over';
}

/** The street as a drop sees it: small, to be read pixel by pixel. */
function shrinkStreet(street: Layer): ImageData {
  const small = createLayer(WIDTH / SMALL, HEIGHT / SMALL);
  small.brush.imageSmoothingQuality = 'high';
  small.brush.drawImage(street.canvas, 0, 0, WIDTH / SMALL, HEIGHT / SMALL);
  return small.brush.getImageData(0, 0, WIDTH / SMALL, HEIGHT / SMALL);
}

export const rain: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const street = createLayer(WIDTH, HEIGHT);
    const lights = listLights();
    const cars = listCars();
    const findDrops = createDrops(WIDTH, HEIGHT);
    const glass: Glass = { layer: createLayer(WIDTH, HEIGHT), scale: SMALL };
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    return (brush, t) => {
      drawStreet(street.brush, lights, cars, t);
      brush.drawImage(street.canvas, 0, 0);
      brush.filter = 'blur(1.2px)';
      brush.drawImage(street.canvas, 0, 0);
      brush.filter = 'none';
      brush.drawImage(shadeDrops(glass, findDrops(t), shrinkStreet(street)).canvas, 0, 0);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
