import { execFileSync, spawnSync } from 'node:child_process';
import type { Quarter } from './corpus/corpus-entry.ts';
import { quarterColours } from './corpus/corpus-entry.ts';
import { ffmpegs } from './ffmpegs.ts';

const side = 64;
const [program = ''] = ffmpegs;

/**
 * How far the frame at 0.4 s is from what all files of the corpus show: the largest difference of any colour, 0 to 255,
 * in the middle of each quarter.
 */
export function differenceFromPattern(file: string): number {
  const filters = `format=rgb24,scale=${side}:${side}:flags=area`;
  const args = ['-nostdin', '-v', 'error', '-ss', '0.4', '-i', file, '-frames:v', '1', '-vf', filters];
  const pixels = execFileSync(program, [...args, '-f', 'rawvideo', 'pipe:1']);
  const differences = Object.entries(quarterColours).flatMap(([quarter, colour]) => {
    const start = pixelOf(quarter as Quarter) * 3;
    return colour.map((value, channel) => Math.abs(value - (pixels[start + channel] ?? Number.POSITIVE_INFINITY)));
  });
  return Math.max(...differences);
}

function pixelOf(quarter: Quarter): number {
  const x = /Right$/.test(quarter) ? (side * 3) / 4 : side / 4;
  const y = /^bottom/.test(quarter) ? (side * 3) / 4 : side / 4;
  return y * side + x;
}

/** Seconds at which a frame begins that needs no other one. */
export function readKeyframeTimes(file: string): number[] {
  const args = ['-nostdin', '-v', 'info', '-skip_frame', 'nokey', '-i', file, '-vf', 'showinfo', '-f', 'null', '-'];
  const { stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return [...stderr.matchAll(/ pts_time:([\d.]+)/g)].map(([, time]) => Number(time));
}
