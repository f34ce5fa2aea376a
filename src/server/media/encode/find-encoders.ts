import { join } from 'node:path';
import type { Ffmpeg } from '../ffmpeg/ffmpeg.ts';
import { FfmpegFailure } from '../ffmpeg/ffmpeg.ts';
import type { WorkFolders } from '../ffmpeg/work-folders.ts';
import { systemFolders } from '../sandbox/find-confinement.ts';
import { encodeLimits, outputName, pictureArguments, quietArguments, readingLimits } from './encode-arguments.ts';
import type { PicturePlan } from './ladder.ts';
import { checkEncoding } from './made-files.ts';
import type { VideoEncoder } from './video-encoders.ts';
import { hardwareEncoders, softwareEncoders } from './video-encoders.ts';

/** The encoders that work on this machine. */
export interface EncoderChoice {
  preferred: VideoEncoder;
  /** The fallback if hardware fails, or null if no software encoder works. */
  software: VideoEncoder | null;
  mapsTones: boolean;
}

/**
 * Tries the encoders on one second of video, hardware first.
 * @param devices the system's folder of device files
 * @throws FfmpegFailure if none works
 */
export async function findEncoders(ffmpeg: Ffmpeg, folders: WorkFolders, devices: string): Promise<EncoderChoice> {
  const hardware = await findWorking(ffmpeg, folders, await hardwareEncoders(devices));
  const software = await findWorking(ffmpeg, folders, softwareEncoders);
  const preferred = hardware ?? software;
  if (preferred === null) throw new FfmpegFailure('no_ffmpeg');
  return { preferred, software, mapsTones: await mapsTones(ffmpeg, folders) };
}

async function findWorking(
  ffmpeg: Ffmpeg,
  folders: WorkFolders,
  encoders: readonly VideoEncoder[],
): Promise<VideoEncoder | null> {
  for (const encoder of encoders) if (await worksHere(ffmpeg, folders, encoder)) return encoder;
  return null;
}

async function mapsTones(ffmpeg: Ffmpeg, folders: WorkFolders): Promise<boolean> {
  const args = ['-hide_banner', '-filters'];
  const { output } = await folders.use((folder) =>
    ffmpeg.run({ input: null, args, folder, limits: { ...readingLimits(0), fileBytes: 0 } }),
  );
  const names = new Set(
    output
      .toString('utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/)[1]),
  );
  return names.has('zscale') && names.has('tonemap');
}

const picture: PicturePlan = { rendition: 'grid', width: 640, height: 360, rate: { frames: 30, seconds: 1 } };
const seconds = 1;
const source = `testsrc2=s=${picture.width}x${picture.height}:r=${picture.rate.frames}:d=${seconds}`;
/**
 * The time limit ends drivers that hang, but allows for a machine that is busy while the server
 * starts.
 */
const limits = { ...encodeLimits(seconds * 1000, 16 * 1024 * 1024), seconds: 60 };

/** Faults that say nothing about an encoder. */
const saysNothing = new Set(['not_started', 'disk_full', 'no_ffmpeg']);

/** Whether an encoder can encode one second of video, in the sandbox and with its devices. */
async function worksHere(ffmpeg: Ffmpeg, folders: WorkFolders, encoder: VideoEncoder): Promise<boolean> {
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

/**
 * Devices and libraries of a hardware encoder. ffmpeg loads drivers by name from the system's
 * folders.
 */
export function hardwareNeeds({ isHardware, devices }: VideoEncoder) {
  return isHardware ? { devices, libraries: systemFolders } : {};
}
