import { closeSync, mkdtempSync, openSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#server/clock.ts';
import { createFfmpeg, FfmpegFailure } from '#server/media/ffmpeg/ffmpeg.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';

/*
 * A process that is out of descriptors when it wants a picture of a video: started with the paths of an ffmpeg and of a
 * video, it prints what became of two attempts without a launcher, of one more with descriptors, and of promises that nobody heard.
 */
const [configured = '', video = ''] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'fourfold-descriptors-'));
const still = { atSeconds: 0, side: 640, isHdr: false };
let unhandled = 0;
process.on('unhandledRejection', () => {
  unhandled += 1;
});

const ffmpeg = createFfmpeg({ configured, searchPath: '', folders: createWorkFolders(work, systemClock) });
await ffmpeg.locate();
const file = await open(video);

const attempt = () =>
  ffmpeg
    .extractFrame(file, still)
    .catch((error: unknown) => (error instanceof FfmpegFailure ? error.fault : String(error)));

const taken = takeAll();
// One launcher may wait already, which needs no more of them.
await attempt();
const exhausted = [await attempt(), await attempt()];
for (const descriptor of taken) closeSync(descriptor);
const leftOver = readdirSync(work);
const afterwards = String(await attempt());
process.stdout.write(JSON.stringify({ exhausted, afterwards, unhandled, leftOver }));

function takeAll(): number[] {
  const descriptors: number[] = [];
  try {
    for (;;) descriptors.push(openSync('/dev/null', 'r'));
  } catch {
    return descriptors;
  }
}
