import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#server/clock.ts';
import type { Encoded, EncodeOrder } from '#server/media/encode/encoder.ts';
import type { EncoderOptions } from '#server/media/encode/ffmpeg-encoder.ts';
import { createEncoder } from '#server/media/encode/ffmpeg-encoder.ts';
import type { FfmpegOptions } from '#server/media/ffmpeg/ffmpeg.ts';
import { createFfmpeg, FfmpegFailure } from '#server/media/ffmpeg/ffmpeg.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

export interface EncoderUnderTestOptions extends Partial<FfmpegOptions>, Pick<EncoderOptions, 'devices'> {
  atEnd?: AtEnd;
}

/** An encoder with a folder of its own. Without devices, so that every machine encodes the same way. */
export function encoderUnderTest(
  program: string,
  { devices = '/nowhere', atEnd, ...more }: EncoderUnderTestOptions = {},
) {
  const work = join(temporaryFolder(atEnd), 'work');
  const folders = createWorkFolders(work, systemClock);
  const ffmpeg = createFfmpeg({ configured: program, searchPath: '', folders, ...more });
  const encoder = createEncoder({ ffmpeg, folders, devices });
  return { encoder, ffmpeg, work, leftOver: () => readdirSync(work) };
}

export const usualOrder = {
  renditions: ['grid'],
  durationMs: null,
  maxBytes: 100 * 1024 * 1024,
  signal: new AbortController().signal,
  report: () => {},
} satisfies Omit<EncodeOrder, 'file'>;

/** Encodes a file and looks at the result while it is there; a failure is told by its fault. */
export async function encodeFile<T>(
  { encoder }: Pick<ReturnType<typeof encoderUnderTest>, 'encoder'>,
  path: string,
  order: Partial<EncodeOrder>,
  look: (encoded: Encoded) => Promise<T>,
): Promise<T | string> {
  await using file = await open(path);
  try {
    return await encoder.encode({ ...usualOrder, ...order, file }, look);
  } catch (error) {
    if (error instanceof FfmpegFailure) return error.fault;
    throw error;
  }
}
