import { spawnSync } from 'node:child_process';
import { ffmpegs } from './ffmpegs.ts';

const [program = ''] = ffmpegs;

/** Seconds at which a frame begins that needs no other one. */
export function readKeyframeTimes(file: string): number[] {
  const args = ['-nostdin', '-v', 'info', '-skip_frame', 'nokey', '-i', file, '-vf', 'showinfo', '-f', 'null', '-'];
  const { stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return [...stderr.matchAll(/ pts_time:([\d.]+)/g)].map(([, time]) => Number(time));
}
