import type { Layer } from '../drawing/layer.ts';
import { clamp, mix, smoothstep, wave, wrap } from '../drawing/motion.ts';
import { createRandom, drawBetween, makeMany } from '../drawing/seeded.ts';

export type Drop = { readonly x: number; readonly y: number; readonly radius: number; readonly tall: number };

/** `scale` is how many pixels of the glass one pixel of the street stands for. */
export type Glass = { readonly layer: Layer; readonly scale: number };

type Runner = {
  readonly x: number;
  readonly radius: number;
  readonly cycles: number;
  readonly phase: number;
  readonly bend: number;
};

/** Drops that sit and slowly grow, and runners that slide down and leave a trail of beads. */
export function createDrops(width: number, height: number): (t: number) => Drop[] {
  const random = createRandom(31);
  const still = makeMany(560, () => ({
    x: random() * width,
    y: random() * height,
    radius: mix(1.3, 13, random() ** 4),
    tall: drawBetween(random, 0.95, 1.25),
    phase: random(),
  }));
  const runners: Runner[] = makeMany(17, (index) => ({
    x: ((index + drawBetween(random, 0.1, 0.9)) / 17) * width,
    radius: drawBetween(random, 7, 13),
    cycles: index % 3 === 0 ? 2 : 1,
    phase: random(),
    bend: random(),
  }));
  return (t) => [
    ...still.map(({ x, y, radius, tall, phase }) => ({ x, y, tall, radius: radius * growRadius(t, phase) })),
    ...runners.flatMap((runner) => [...leaveTrail(runner, height, t), placeRunner(runner, height, t)]),
  ];
}

/** A resting drop swells, lets go and starts anew, each at its own time. */
function growRadius(t: number, phase: number): number {
  const life = wrap(t + phase);
  return smoothstep(0, 0.12, life) * (0.85 + 0.15 * life) * smoothstep(1, 0.96, life);
}

/** Slides in pulls: slow, quick, slow. */
function slideDown(share: number): number {
  return share + 0.045 * Math.sin(share * Math.PI * 8) + 0.02 * Math.sin(share * Math.PI * 18);
}

function findX({ x, bend }: Runner, y: number): number {
  return x + Math.sin(y * 0.021 + bend * 6.3) * 7 + Math.sin(y * 0.053 + bend * 17) * 3;
}

function placeRunner(runner: Runner, height: number, t: number): Drop {
  const y = slideDown(wrap(t * runner.cycles + runner.phase)) * (height + 120) - 40;
  return { x: findX(runner, y), y, radius: runner.radius, tall: 1.45 + 0.12 * wave(t, 6, runner.phase) };
}

/** Beads stay where the runner went by and dry up before it comes again. */
function leaveTrail(runner: Runner, height: number, t: number): Drop[] {
  const share = wrap(t * runner.cycles + runner.phase);
  const beads: Drop[] = [];
  for (let y = -10; y < height + 10; y += 9) {
    const age = share - (y + 40) / (height + 120) - 0.03;
    const size = (0.5 + 0.5 * Math.sin(y * 1.7 + runner.bend * 50)) * 2.5 + 0.6;
    const radius = size * clamp(age * 30) * smoothstep(0.55, 0.05, age) * smoothstep(1, 0.93, share);
    if (age > 0 && radius > 0.3) beads.push({ x: findX(runner, y) + Math.sin(y * 3.1) * 1.6, y, radius, tall: 1.15 });
  }
  return beads;
}

/** Each drop is a small lens: it shows the street upside down, dark at its upper edge, with a spark of light. */
export function shadeDrops({ layer, scale }: Glass, drops: readonly Drop[], street: ImageData): Layer {
  const image = layer.brush.createImageData(layer.width, layer.height);
  for (const drop of drops) if (drop.radius > 0.4) shadeDrop(image, drop, street, scale);
  layer.brush.putImageData(image, 0, 0);
  return layer;
}

function shadeDrop(image: ImageData, drop: Drop, street: ImageData, scale: number): void {
  const { x, y, radius, tall } = drop;
  const bottom = Math.min(image.height - 1, Math.ceil(y + radius * tall));
  const right = Math.min(image.width - 1, Math.ceil(x + radius));
  for (let row = Math.max(0, Math.floor(y - radius * tall)); row <= bottom; row++) {
    for (let column = Math.max(0, Math.floor(x - radius)); column <= right; column++) {
      const aside = (column + 0.5 - x) / radius;
      const down = (row + 0.5 - y) / (radius * tall);
      const off = Math.hypot(aside, down);
      if (off < 1 + 0.7 / radius) shadePixel(image, row * image.width + column, drop, aside, down, off, street, scale);
    }
  }
}

function shadePixel(
  image: ImageData,
  pixel: number,
  drop: Drop,
  aside: number,
  down: number,
  off: number,
  street: ImageData,
  scale: number,
): void {
  const bulge = 0.5 + 0.9 * off * off;
  const seenX = Math.round(clamp((drop.x - aside * 120 * bulge) / scale, 0, street.width - 1));
  const seenY = Math.round(clamp((drop.y * 0.2 + 228 - down * 118 * bulge) / scale, 0, street.height - 1));
  const from = (seenY * street.width + seenX) * 4;
  const edge = smoothstep(1.02, 0.62, off);
  const light = mix(0.3, 1.05, edge) * mix(1.25, 0.8, smoothstep(0.7, -0.8, down));
  const spark = 120 * smoothstep(0.3, 0.06, Math.hypot(aside + 0.34, down + 0.42)) * smoothstep(1.5, 4, drop.radius);
  const cover = clamp((1 - off) * drop.radius + 0.5);
  const to = pixel * 4;
  image.data[to] = (street.data[from] ?? 0) * light + spark + 9;
  image.data[to + 1] = (street.data[from + 1] ?? 0) * light + spark + 11;
  image.data[to + 2] = (street.data[from + 2] ?? 0) * light + spark + 18;
  image.data[to + 3] = Math.max(image.data[to + 3] ?? 0, 255 * cover * mix(0.72, 1, smoothstep(0.8, 3, drop.radius)));
}
