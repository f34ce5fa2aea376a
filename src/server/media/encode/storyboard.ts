import { join } from 'node:path';
import { FfmpegFailure } from '../ffmpeg/ffmpeg.ts';
import { ppmToWebp } from '../ffmpeg/ppm-to-webp.ts';
import { storyboardName } from './encode-arguments.ts';
import { readMade } from './made-files.ts';
import type { StoryboardPlan } from './storyboard-plan.ts';

export interface EncodedStoryboard {
  webp: Buffer;
  columns: number;
  rows: number;
  tileWidth: number;
  tileHeight: number;
  intervalMs: number;
}

const maxPpmBytes = 32 * 1024 * 1024;

/** The sheet that a run has left in its folder; null where there is none, or another one than was asked for. */
export async function readStoryboard(folder: string, plan: StoryboardPlan): Promise<EncodedStoryboard | null> {
  const ppm = await readMade(join(folder, storyboardName), maxPpmBytes);
  if (ppm === null) return null;
  const { tiles: _, ...shape } = plan;
  const size = { width: plan.columns * plan.tileWidth, height: plan.rows * plan.tileHeight };
  try {
    const { webp, width, height } = await ppmToWebp(ppm, size.width * size.height);
    return width === size.width && height === size.height ? { webp, ...shape } : null;
  } catch (error) {
    if (error instanceof FfmpegFailure) return null;
    throw error;
  }
}
