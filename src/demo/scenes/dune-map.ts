import { clamp, mix, smoothstep, wrap } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';

/**
 * What the eye meets at each pixel: the lit colour, how far the air covers it (1 is sky), and its place along and
 * across the wind.
 */
export type DuneMap = {
  readonly red: Float32Array;
  readonly green: Float32Array;
  readonly blue: Float32Array;
  readonly haze: Float32Array;
  readonly along: Float32Array;
  readonly across: Float32Array;
  readonly exposure: Float32Array;
};

const EYE_HEIGHT = 15;
const EYE_PITCH = 0.1;
/** Distance of the eye from the picture, in widths of the picture. */
const FOCAL = 0.854;
const FARTHEST = 420;
const SUN = normalize(-0.84, 0.4, 0.3);

const bends = createNoiseTile({ size: 512, cells: 3, octaves: 2, seed: 27, gain: 0.35 });
const swells = createNoiseTile({ size: 512, cells: 4, octaves: 2, seed: 83, gain: 0.3 });
const grains = createNoiseTile({ size: 256, cells: 32, octaves: 3, seed: 6 });

function normalize(x: number, y: number, z: number): readonly [number, number, number] {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

/** Dunes stand across the wind: a long rise to a sharp crest, a short fall behind. */
function findHeight(x: number, z: number): number {
  const bend = sampleTile(bends, x / 300, z / 300) * 92;
  const place = wrap((x * 0.75 + z * 0.66 + bend) / 58);
  const profile = place < 0.7 ? smoothstep(-0.12, 0.72, place) : smoothstep(1.1, 0.7, place);
  const size = 5 + 15 * sampleTile(swells, x / 260 + 0.3, z / 260);
  const field = profile * size * 0.8 + sampleTile(swells, x / 420, z / 420 + 0.6) * 12 - 10;
  return joinSoftly(field, findGreatDune(x, z));
}

/** The dune in the middle: its crest winds from near the viewer up to the peak, with a bright side and a dark one. */
function findGreatDune(x: number, z: number): number {
  const crest = 1 - 0.075 * z + 11 * Math.sin(z * 0.052 - 0.9) + 3.5 * Math.sin(z * 0.11 + 1);
  const top = 25 * smoothstep(6, 84, z) * smoothstep(190, 88, z) - 3;
  const side = x - crest;
  return top - (side < 0 ? 0.36 * -side : 0.52 * side - 0.0022 * side * side);
}

function joinSoftly(first: number, second: number): number {
  const share = clamp(0.5 + (second - first) / 5);
  return mix(first, second, share) + 1.25 * share * (1 - share);
}

function createEmptyMap(size: number): DuneMap {
  const make = (): Float32Array => new Float32Array(size);
  return {
    red: make(),
    green: make(),
    blue: make(),
    haze: make().fill(1),
    along: make(),
    across: make(),
    exposure: make(),
  };
}

/** Looks twice as finely as the picture is and averages, so that crests have smooth edges. */
export function createDuneMap(width: number, height: number): DuneMap {
  const fine = createEmptyMap(width * height * 4);
  for (let x = 0; x < width * 2; x++) fillColumn(fine, x, width * 2, height * 2);
  const map = createEmptyMap(width * height);
  for (let index = 0; index < width * height; index++)
    averageFour(map, index, fine, Math.floor(index / width) * width * 4 + (index % width) * 2, width * 2);
  return map;
}

/** Ground counts as much as it stands out of the haze, so that sky beside a crest does not darken it. */
function averageFour(map: DuneMap, index: number, fine: DuneMap, corner: number, row: number): void {
  const places = [corner, corner + 1, corner + row, corner + row + 1];
  const weights = places.map((place) => 1 - (fine.haze[place] ?? 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return;
  const average = (values: Float32Array): number =>
    places.reduce((sum, place, which) => sum + (values[place] ?? 0) * (weights[which] ?? 0), 0) / whole;
  map.haze[index] = 1 - whole / 4;
  for (const key of ['red', 'green', 'blue', 'exposure'] as const) map[key][index] = average(fine[key]);
  const clearest = places[weights.indexOf(Math.max(...weights))] ?? corner;
  map.along[index] = fine.along[clearest] ?? 0;
  map.across[index] = fine.across[clearest] ?? 0;
}

/**
 * Rays of one column meet the ground farther and farther up the picture, so each goes on from where the last one ended.
 */
function fillColumn(map: DuneMap, x: number, width: number, height: number): void {
  let far = 4;
  for (let y = height - 1; y >= 0; y--) {
    const rise = (height * 0.5 - y) / (FOCAL * width) - EYE_PITCH;
    const side = (x - width / 2) / (FOCAL * width);
    far = findMeeting(side, rise, far);
    if (far >= FARTHEST) return;
    shadePlace(map, y * width + x, side * far, far);
  }
}

function findMeeting(side: number, rise: number, from: number): number {
  let far = from;
  while (far < FARTHEST) {
    const gap = EYE_HEIGHT + rise * far - findHeight(side * far, far);
    if (gap < 0.004 * far) return far;
    far += Math.max(0.02, gap * 0.3);
  }
  return far;
}

function shadePlace(map: DuneMap, index: number, x: number, z: number): void {
  const step = 0.35 + z * 0.006;
  const here = findHeight(x, z);
  const slopeX = (findHeight(x + step, z) - findHeight(x - step, z)) / (2 * step) + findRipple(x, z);
  const slopeZ = (findHeight(x, z + step) - findHeight(x, z - step)) / (2 * step);
  const [normalX, normalY, normalZ] = normalize(-slopeX, 1, -slopeZ);
  const facing = Math.max(0, normalX * SUN[0] + normalY * SUN[1] + normalZ * SUN[2]);
  const light = facing * findSunlight(x, here, z);
  const grain = 0.96 + 0.08 * sampleTile(grains, x * 0.11, z * 0.11);
  map.red[index] = (44 + 26 * normalY + 268 * light) * grain;
  map.green[index] = (28 + 20 * normalY + 158 * light) * grain;
  map.blue[index] = (44 + 26 * normalY + 66 * light) * grain;
  map.haze[index] = clamp(1 - Math.exp(-z / 230)) ** 1.35;
  map.along[index] = x;
  map.across[index] = z + sampleTile(bends, x / 300, z / 300) * 20;
  map.exposure[index] = smoothstep(-4, 12, here) * mix(0.25, 1, smoothstep(0.02, 0.3, slopeX + slopeZ * 0.6 + 0.1));
}

/** Wind ripples, close by only: far away they would turn into a pattern of dots. */
function findRipple(x: number, z: number): number {
  const bend = sampleTile(swells, x / 30, z / 30) * 5;
  return 0.2 * Math.sin((x * 1.1 + z * 0.5 + bend) * 3.4) * smoothstep(60, 12, z);
}

function findSunlight(x: number, y: number, z: number): number {
  let light = 1;
  for (let far = 1; far < 60; far *= 1.22) {
    const gap = y + 0.2 + SUN[1] * far - findHeight(x + SUN[0] * far, z + SUN[2] * far);
    light = Math.min(light, smoothstep(-0.02, 0.05, gap / far));
  }
  return light;
}
