import type { Ffmpeg } from '../../ffmpeg/ffmpeg.ts';
import { FfmpegFailure } from '../../ffmpeg/ffmpeg.ts';
import type { WorkFolders } from '../../ffmpeg/work-folders.ts';
import { readingLimits } from '../encode-limits.ts';
import { hardwareEncoders } from './hardware.ts';
import { softwareEncoders } from './software-encoders.ts';
import { worksHere } from './try-encoder.ts';
import type { VideoEncoder } from './video-encoder.ts';

/** What encodes here. */
export interface EncoderChoice {
  preferred: VideoEncoder;
  /** What takes over where hardware fails; null where there is nothing else. */
  software: VideoEncoder | null;
  mapsTones: boolean;
}

/**
 * Tries them on one second of video, hardware first.
 * @param devices the device folder of the system
 * @throws FfmpegFailure when there is none that works
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
