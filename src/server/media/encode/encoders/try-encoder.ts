import { join } from 'node:path';
import type { Ffmpeg } from '../../ffmpeg/ffmpeg.ts';
import { FfmpegFailure } from '../../ffmpeg/ffmpeg.ts';
import type { WorkFolders } from '../../ffmpeg/work-folders.ts';
import { systemFolders } from '../../sandbox/program-files.ts';
import { outputName, pictureArguments, quietArguments } from '../encode-arguments.ts';
import { encodeLimits } from '../encode-limits.ts';
import type { PicturePlan } from '../ladder.ts';
import { checkEncoding } from '../made-files.ts';
import type { VideoEncoder } from './video-encoder.ts';

const picture: PicturePlan = { rendition: 'grid', width: 640, height: 360, rate: { frames: 30, seconds: 1 } };
const seconds = 1;
const source = `testsrc2=s=${picture.width}x${picture.height}:r=${picture.rate.frames}:d=${seconds}`;
/** Drivers that hang are not waited for; a machine that is busy while the server starts is. */
const limits = { ...encodeLimits(seconds * 1000, 16 * 1024 * 1024), seconds: 60 };

/** Faults that say nothing about an encoder. */
const saysNothing = new Set(['not_started', 'disk_full', 'no_ffmpeg']);

/** Whether it makes a file of one second of video, in the sandbox and with its devices. */
export async function worksHere(ffmpeg: Ffmpeg, folders: WorkFolders, encoder: VideoEncoder): Promise<boolean> {
  try {
    return await folders.use(async (folder) => {
      await ffmpeg.run({ input: null, args: trialArguments(encoder), folder, limits, ...hardwareNeeds(encoder) });
      await checkEncoding(join(folder, outputName('grid')), {
        durationMs: seconds * 1000,
        size: picture,
        hasSound: false,
      });
      return true;
    });
  } catch (error) {
    if (!(error instanceof FfmpegFailure) || saysNothing.has(error.fault)) throw error;
    return false;
  }
}

function trialArguments(encoder: VideoEncoder): string[] {
  const filters = ['format=yuv420p', ...encoder.uploadFilters].join(',');
  return [
    ...quietArguments(1),
    ...encoder.deviceArguments,
    ...['-f', 'lavfi', '-i', source, '-filter_complex', `[0:0]${filters}[${picture.rendition}]`],
    ...pictureArguments({ audioTrack: null }, picture, encoder, 1),
  ];
}

/** Drivers are loaded by name from the folders of the system. */
export function hardwareNeeds({ isHardware, devices }: VideoEncoder) {
  return isHardware ? { devices, libraries: systemFolders } : {};
}
