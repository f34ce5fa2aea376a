import { join } from 'node:path';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';

/**
 * Makes a file in a container that no browser plays, with pictures that have to be encoded anew, which takes some
 * seconds. @returns its path
 */
export function makeLongAvi(folder: string): string {
  return makeWithFfmpeg(
    join(folder, 'long.avi'),
    ...['-f', 'lavfi', '-i', 'testsrc2=s=854x480:r=25:d=20', '-f', 'lavfi', '-i', 'sine=d=20'],
    ...['-c:v', 'mpeg4', '-q:v', '8', '-g', '100', '-c:a', 'libmp3lame'],
  );
}
