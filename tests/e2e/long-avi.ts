import { join } from 'node:path';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { listGridEncoders, signalAll } from '#tests/support/processes/encoders.ts';
import { poll } from './poll.ts';

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

/** On a busy machine ffmpeg is looked for, tried and run in minutes. */
export const encodingLimitMs = 300_000;

/** Lets what encodes stand still, so that there is time to see it. @returns what is to go on */
export async function holdEncoding(): Promise<number[]> {
  await poll(() => listGridEncoders().length, {
    message: 'something is encoded',
    intervals: [20],
    timeout: encodingLimitMs,
  }).toBeGreaterThan(0);
  const encoding = listGridEncoders();
  signalAll(encoding, 'SIGSTOP');
  return encoding;
}
