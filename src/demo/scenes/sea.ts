import type { Color } from '../drawing/color.ts';
import { createRamp, findStep } from '../drawing/color.ts';
import { createVignette } from '../drawing/glow.ts';
import type { Sample } from '../drawing/layer.ts';
import { createPixels, shadePixels } from '../drawing/layer.ts';
import { clamp, driftTwice, mix, smoothstep, wave } from '../drawing/motion.ts';
import { createNoiseTile, sampleTile } from '../drawing/noise.ts';
import type { Slopes } from '../drawing/water.ts';
import { createWater, sampleSlopes } from '../drawing/water.ts';
import type { Brush, Scene } from '../scene.ts';

const WIDTH = 960;
const HEIGHT = 540;
const HORIZON = 236;
const FOCAL = 760;
const SUN_X = 462;
const SUN_HEIGHT = 26;
const TILE_LENGTH = 8.5;

const sky = createRamp([
  [0, '#ffd9a0'],
  [0.06, '#ffbf86'],
  [0.16, '#f3977a'],
  [0.3, '#c87a8c'],
  [0.48, '#7f679c'],
  [0.72, '#43508c'],
  [1, '#233263'],
]);
const SUN_LIGHT: Color = [255, 190, 110];
const DEEP: Color = [6, 16, 34];

const clouds = createNoiseTile({ size: 512, cells: 5, octaves: 6, seed: 8 });

/**
 * Light from the sky: `rise` is pixels above the horizon, `side` pixels from the sun, as the eye would see them far
 * away.
 */
function addSky(rise: number, side: number, out: Sample, sunSize: number): void {
  const step = findStep(rise / 250);
  const distance = Math.hypot(side * 0.8, rise - SUN_HEIGHT);
  const halo = 0.62 * Math.exp(-distance / 46) + 0.3 * Math.exp(-distance / 150);
  const disc = 2.4 * smoothstep(sunSize * 1.12, sunSize * 0.86, distance);
  out[0] = (sky.red[step] ?? 0) + SUN_LIGHT[0] * (halo + disc);
  out[1] = (sky.green[step] ?? 0) + SUN_LIGHT[1] * (halo + disc);
  out[2] = (sky.blue[step] ?? 0) + SUN_LIGHT[2] * (halo * 0.8 + disc);
}

function addClouds(x: number, rise: number, t: number, out: Sample): void {
  const depth = 900 / (rise + 60);
  let cover = 0;
  for (const { offset, weight } of driftTwice(t, 1)) {
    const u = (x - SUN_X) * depth * 0.00028 + offset * 0.06;
    cover += weight * smoothstep(0.46, 0.78, sampleTile(clouds, u, depth * 0.21 + offset * 0.008));
  }
  cover *= smoothstep(4, 60, rise) * smoothstep(330, 150, rise);
  const lit = Math.exp(-Math.hypot((x - SUN_X) * 0.7, rise - SUN_HEIGHT) / 210);
  out[0] = mix(out[0], mix(108, 255, lit), cover * 0.62);
  out[1] = mix(out[1], mix(82, 168, lit), cover * 0.62);
  out[2] = mix(out[2], mix(124, 118, lit), cover * 0.62);
}

function paintSky(t: number): (x: number, y: number, out: Sample) => void {
  return (x, y, out) => {
    const rise = HORIZON - y;
    addSky(rise, x - SUN_X, out, 21);
    addClouds(x, rise, t, out);
  };
}

/** Follows the eye to the water, mirrors it on the slope found there and looks up what it meets. */
function paintWater(levels: readonly Slopes[]): (x: number, y: number, out: Sample) => void {
  const slope: [number, number] = [0, 0];
  return (x, row, out) => {
    const drop = row + 0.6;
    const far = FOCAL / drop;
    const spread = Math.sqrt((far * far) / FOCAL) * 0.05;
    const level = levels[Math.round(clamp(Math.log2((spread * 256) / TILE_LENGTH + 0.4), 0, 5))] ?? levels[0];
    if (!level) return;
    const across = ((x - SUN_X) / FOCAL) * far;
    sampleSlopes(level, across / TILE_LENGTH, far / TILE_LENGTH, slope);
    let [slopeX, slopeZ] = slope;
    sampleSlopes(level, (across * 0.8 + far * 0.6) / 21 + 0.3, (far * 0.8 - across * 0.6) / 21, slope);
    slopeX = (slopeX + slope[0] * 0.9) * 0.105;
    slopeZ = (slopeZ + slope[1] * 0.9) * 0.105;
    reflectSky(x, drop, slopeX, slopeZ, out);
  };
}

function reflectSky(x: number, drop: number, slopeX: number, slopeZ: number, out: Sample): void {
  const rise = Math.abs(drop + slopeZ * 2 * FOCAL * 0.62);
  const side = x - SUN_X + slopeX * 2 * FOCAL * (0.22 + drop / 900);
  addSky(rise * 0.6 + 3, side, out, 38);
  const facing = clamp(drop / FOCAL - slopeZ * 0.9, 0.02, 1);
  const mirror = 0.06 + 0.94 * (1 - facing) ** 4.5;
  const shade = mirror * mix(0.92, 0.78, drop / 304);
  out[0] = DEEP[0] + out[0] * shade;
  out[1] = DEEP[1] + out[1] * shade;
  out[2] = DEEP[2] + out[2] * shade;
}

function drawBirds(brush: Brush, t: number): void {
  brush.strokeStyle = 'rgba(30,26,48,0.75)';
  brush.lineWidth = 1.5;
  brush.lineCap = 'round';
  for (let bird = 0; bird < 7; bird++) {
    const x = ((t + 0.62) % 1) * 1240 - 140 + Math.abs(bird - 3) * -19 + bird * 3;
    const y = 118 + (bird - 3) * 9 + wave(t, 2, bird * 0.13) * 4;
    const lift = wave(t, 14, bird * 0.21) * 4;
    brush.beginPath();
    brush.moveTo(x - 9, y - lift);
    brush.quadraticCurveTo(x - 3, y - 2.5, x, y + 1);
    brush.quadraticCurveTo(x + 3, y - 2.5, x + 9, y - lift);
    brush.stroke();
  }
}

function drawHaze(brush: Brush): void {
  const haze = brush.createLinearGradient(0, HORIZON - 26, 0, HORIZON + 20);
  haze.addColorStop(0, 'rgba(255,196,138,0)');
  haze.addColorStop(0.56, 'rgba(255,196,138,0.36)');
  haze.addColorStop(1, 'rgba(255,180,130,0)');
  brush.fillStyle = haze;
  brush.fillRect(0, HORIZON - 26, WIDTH, 46);
}

export const sea: Scene = {
  width: WIDTH,
  height: HEIGHT,
  create() {
    const above = createPixels(WIDTH, HORIZON);
    const below = createPixels(WIDTH, HEIGHT - HORIZON);
    const vignette = createVignette(WIDTH, HEIGHT, 0.5);
    const moveWater = createWater({ seed: 5, longest: 2, fall: 1.95, wind: -1.25, pace: 3 });
    return (brush, t) => {
      brush.drawImage(shadePixels(above, paintSky(t)).canvas, 0, 0);
      brush.drawImage(shadePixels(below, paintWater(moveWater(t))).canvas, 0, HORIZON);
      drawHaze(brush);
      drawBirds(brush, t);
      brush.drawImage(vignette.canvas, 0, 0);
    };
  },
};
