import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';

/** What cameras write, and more than a network at home carries four times. */
const megabits = 8;
const secondsMade = 20;

interface HeavyLibrary {
  files: number;
  /** Seconds of each; made of one stretch of 20 s that comes again and again. */
  seconds: number;
  /** Any other than `.mp4` is in a container that no browser plays. */
  extension?: '.mp4' | '.avi';
}

/** Moving shapes of 1920x1080 under the noise of a camera, 30 a second, 8 Mbit/s: each file has bytes of its own. */
export function makeHeavyLibrary(folder: string, { files, seconds, extension = '.mp4' }: HeavyLibrary): void {
  mkdirSync(folder, { recursive: true });
  const stretch = join(folder, '..', 'stretch.mp4');
  makeWithFfmpeg(
    stretch,
    ...['-f', 'lavfi', '-i', `testsrc2=s=1920x1080:r=30:d=${secondsMade},noise=alls=6:allf=t`],
    ...['-f', 'lavfi', '-i', `sine=d=${secondsMade}`],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60'],
    ...['-b:v', `${megabits}M`, '-maxrate', `${megabits}M`, '-bufsize', `${megabits}M`, '-c:a', 'aac', '-shortest'],
  );
  for (let file = 0; file < files; file += 1) {
    makeWithFfmpeg(
      join(folder, `heavy-${file}${extension}`),
      ...['-stream_loop', String(Math.ceil(seconds / secondsMade) - 1), '-i', stretch, '-c', 'copy'],
      ...['-metadata', `title=Heavy ${file}`, ...(extension === '.mp4' ? ['-movflags', '+faststart'] : [])],
    );
  }
}
