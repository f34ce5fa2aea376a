import { open } from 'node:fs/promises';
import { systemClock } from '#server/clock.ts';
import { createEncoder } from '#server/media/encode/ffmpeg-encoder.ts';
import { createFfmpeg } from '#server/media/ffmpeg/ffmpeg.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';

/*
 * A process that encodes: started with the paths of an ffmpeg, of a video and of a folder to work in. It prints
 * `running` when it knows how far it is, or, when it is told to `pause`, `paused` and stands still from then on. At the
 * end it prints what became of it.
 */
const [configured = '', video = '', work = '', mode = 'run'] = process.argv.slice(2);
const folders = createWorkFolders(work, systemClock);
const ffmpeg = createFfmpeg({ configured, searchPath: '', folders });
const encoder = createEncoder({ ffmpeg, folders, devices: '/nowhere' });
let isTold = false;

function report(): void {
  if (isTold) return;
  isTold = true;
  if (mode === 'pause') encoder.setPaused(true);
  process.stdout.write(mode === 'pause' ? 'paused\n' : 'running\n');
}

const order = {
  file: await open(video),
  renditions: ['grid'] as const,
  durationMs: null,
  maxBytes: 1024 * 1024 * 1024,
  signal: new AbortController().signal,
  report,
};
const became = await encoder
  .encode(order, async () => 'done')
  .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
process.stdout.write(`${became}\n`);
