import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clip } from './clip-list.ts';
import { clips } from './clip-list.ts';
import { encodeClip, openMaster } from './making/encode.ts';
import type { LoopMeasure } from './making/loop-check.ts';
import { createLoopCheck, SEAM_TOLERANCE } from './making/loop-check.ts';
import { listMoments, paintFrames } from './making/stage.ts';
import { scenes } from './scenes/scene-list.ts';
import { writeWaveFile } from './sound/wave-file.ts';

const CLIP_FOLDER = fileURLToPath(new URL('./clips/', import.meta.url));

/** Remakes the named clips, or all of them: `node src/demo/make-clips.ts harbour-skyline`. */
async function makeClips(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !clips.some((clip) => clip.name === name));
  if (unknown.length > 0)
    throw new Error(`No such clip: ${unknown.join(', ')}. There are: ${clips.map((clip) => clip.name).join(', ')}.`);
  const wanted = names.length > 0 ? clips.filter((clip) => names.includes(clip.name)) : clips;
  for (const clip of wanted) await makeClip(clip);
}

async function makeClip(clip: Clip): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-clip-'));
  try {
    const shape = { width: scenes[clip.scene].width, height: scenes[clip.scene].height, fps: clip.fps };
    const master = join(folder, 'master.mp4');
    const loop = await paintMaster(master, clip, shape);
    if (!loop.isSmooth) throw new Error(`${clip.name} jumps where it starts again: ${describeLoop(loop)}.`);
    const sound = clip.sound ? join(folder, 'sound.wav') : undefined;
    if (clip.sound && sound) await writeWaveFile(sound, clip.sound, clip.seconds);
    const encoded = join(folder, 'clip.mp4');
    await encodeClip(master, encoded, folder, { ...shape, seconds: clip.seconds, megabytes: clip.megabytes, sound });
    await copyFile(encoded, join(CLIP_FOLDER, `${clip.name}.mp4`));
    console.log(
      `${clip.name}.mp4  ${((await stat(encoded)).size / 1e6).toFixed(2)} MB  ${clip.seconds} s  ${describeLoop(loop)}`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function paintMaster(
  file: string,
  clip: Clip,
  shape: { width: number; height: number; fps: number },
): Promise<LoopMeasure> {
  const master = openMaster(file, shape);
  const check = createLoopCheck();
  await paintFrames(clip.scene, listMoments(clip.seconds * clip.fps), async (frame) => {
    check.addFrame(frame);
    await master.addFrame(frame);
  });
  await master.close();
  return check.measure();
}

function describeLoop({ seamStep, averageStep }: LoopMeasure): string {
  const ratio = (seamStep / averageStep).toFixed(2);
  return `step over the seam ${seamStep.toFixed(3)}, average step ${averageStep.toFixed(3)} (ratio ${ratio}, at most ${SEAM_TOLERANCE})`;
}

await makeClips(process.argv.slice(2));
