import type { FileHandle } from 'node:fs/promises';
import { limits } from '#contract/limits.ts';
import type { Ffmpeg, FfmpegFault } from './ffmpeg.ts';
import { FfmpegFailure } from './ffmpeg.ts';

/** A video file, and what its headers say. */
interface PosterSource {
  file: FileHandle;
  durationMs: number | null;
  videoCodec: string | null;
  /** Only its first bytes and its index are there: a damaged picture is none. */
  isStart?: boolean;
}

/** Pixels of the longer side. A quadrant of a full-HD screen is 960 pixels wide, a card 320. */
const posterSide = 640;

/** Why there is no poster, in sentences for an admin. */
export const posterless = {
  no_picture: 'This file has no picture.',
  no_ffmpeg: 'There is no ffmpeg on this machine.',
  not_a_video: 'This file is not a video.',
  time: 'Reading the video took too long.',
  memory: 'Reading the video took too much memory.',
  output: 'Reading the video gave far too much.',
  crashed: 'Reading the video made ffmpeg crash.',
  not_started: 'ffmpeg could not be started.',
  disk_full: 'There is no room left on the disk.',
  unreadable: 'No picture could be read from this video.',
} as const satisfies Record<FfmpegFault, string>;

type PosterlessReason = keyof typeof posterless;

/** `reason` says why there is no poster. Another attempt would not help. */
export type PosterAttempt = { kind: 'made'; webp: Buffer } | { kind: 'none'; reason: PosterlessReason };

/**
 * Makes a WebP of the frame at 10 s, or in the middle of a shorter video.
 * @throws FfmpegFailure if another attempt may succeed
 */
export async function makePoster(ffmpeg: Ffmpeg, source: PosterSource, signal: AbortSignal): Promise<PosterAttempt> {
  const { durationMs, isHdr, hasVideoTrack } = await look(ffmpeg, source, signal);
  if (!hasVideoTrack) return { kind: 'none', reason: 'no_picture' };
  const ppm = await extractFrame(ffmpeg, source, { at: posterTime(durationMs), isHdr }, signal);
  return ppm === null ? { kind: 'none', reason: 'unreadable' } : await toPoster(ppm);
}

/** Seconds; 0 if the duration is unknown. */
export function posterTime(durationMs: number | null): number {
  return durationMs === null ? 0 : Math.min(limits.previewAtSeconds, durationMs / 2000);
}

/**
 * Codecs that are never HDR in practice, so the scan's findings suffice. For all others, ffmpeg
 * describes the file first.
 */
const plainCodecs = new Set(['avc', 'vp8']);

async function look(ffmpeg: Ffmpeg, { file, durationMs, videoCodec }: PosterSource, signal: AbortSignal) {
  if (durationMs !== null && videoCodec !== null && plainCodecs.has(videoCodec))
    return { durationMs, isHdr: false, hasVideoTrack: true };
  const description = await ffmpeg.describe(file, signal);
  return {
    durationMs: durationMs ?? description.durationMs,
    isHdr: description.videoTrack?.isHdr ?? false,
    hasVideoTrack: description.videoTrack !== null,
  };
}

async function toPoster(ppm: Buffer): Promise<PosterAttempt> {
  return { kind: 'made', webp: (await ppmToWebp(ppm, posterSide * posterSide)).webp };
}

/**
 * Falls back to the first frame if a whole file has none at that time, or cannot be read from there.
 */
async function extractFrame(
  ffmpeg: Ffmpeg,
  { file, isStart = false }: PosterSource,
  { at, isHdr }: { at: number; isHdr: boolean },
  signal: AbortSignal,
): Promise<Buffer | null> {
  const still = { side: posterSide, isHdr, endsAtErrors: isStart };
  const first = { ...still, atSeconds: 0 };
  if (at === 0) return ffmpeg.extractFrame(file, first, signal);
  const ppm = await ffmpeg.extractFrame(file, { ...still, atSeconds: at }, signal).catch(nullWhenUnreadable);
  return ppm === null && !isStart ? ffmpeg.extractFrame(file, first, signal) : ppm;
}

function nullWhenUnreadable(error: unknown): null {
  if (error instanceof FfmpegFailure && error.fault === 'unreadable') return null;
  throw error;
}

/**
 * The header of a binary PPM with 8 bits per sample, as ffmpeg writes it (netpbm's ppm(5), without
 * comments).
 */
const header = /^P6\n(\d{1,5}) (\d{1,5})\n255\n/;
const headerBytes = 32;
const samples = 3;
const webpQuality = 76;

interface WebpPicture {
  webp: Buffer;
  width: number;
  height: number;
}

/**
 * Converts a PPM from the sandbox, which is not trusted: it has to be a picture of at most the
 * requested size. The format is uncompressed, because compressing and decompressing would take
 * longer than finding the frame.
 * @throws FfmpegFailure
 */
export async function ppmToWebp(ppm: Buffer, maxPixels: number): Promise<WebpPicture> {
  const { width, height, pixels } = readPpm(ppm, maxPixels);
  // sharp is loaded on first use, which saves memory on a server without posters.
  const { default: sharp } = await import('sharp');
  sharp.concurrency(1);
  try {
    const picture = sharp(pixels, { raw: { width, height, channels: samples } }).webp({ quality: webpQuality });
    return { webp: await picture.toBuffer(), width, height };
  } catch {
    throw new FfmpegFailure('unreadable');
  }
}

function readPpm(ppm: Buffer, maxPixels: number): { width: number; height: number; pixels: Buffer } {
  const [start = '', width = 0, height = 0] = header.exec(ppm.toString('latin1', 0, headerBytes)) ?? [];
  const size = { width: Number(width), height: Number(height) };
  const count = size.width * size.height;
  const pixels = ppm.subarray(start.length);
  if (count === 0 || count > maxPixels || pixels.length !== count * samples) throw new FfmpegFailure('unreadable');
  return { ...size, pixels };
}
