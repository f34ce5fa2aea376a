import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ffmpegCandidates } from '#server/media/ffmpeg/ffmpeg.ts';

/** Every ffmpeg of this machine that runs: that of the system, and the one from npm. */
export const ffmpegs = [
  ...new Set(
    ffmpegCandidates(undefined, process.env.PATH ?? '')
      .filter(runs)
      .map((file) => realpathSync(file)),
  ),
];

if (ffmpegs.length === 0)
  throw new Error('No ffmpeg runs on this machine, so that nothing about it can be proven. Install one.');

/** Makes a file with the first of them, outside of any sandbox. */
export function makeWithFfmpeg(file: string, ...args: string[]): string {
  const [program = ''] = ffmpegs;
  execFileSync(program, ['-nostdin', '-v', 'error', '-y', ...args, file], { stdio: ['ignore', 'ignore', 'inherit'] });
  return file;
}

/** A video that takes seconds to encode and little time to make. */
export function longVideo(folder: string): string {
  const input = ['-f', 'lavfi', '-i', 'color=red:s=960x540:r=30:d=20'];
  return makeWithFfmpeg(join(folder, 'long.avi'), ...input, '-c:v', 'mpeg4', '-threads', '2');
}

function runs(program: string): boolean {
  try {
    execFileSync(program, ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
