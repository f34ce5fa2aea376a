import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { ffmpegCandidates } from '#server/media/ffmpeg/ffmpeg-candidates.ts';

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

function runs(program: string): boolean {
  try {
    execFileSync(program, ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
