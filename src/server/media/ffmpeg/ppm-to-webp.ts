import { FfmpegFailure } from './ffmpeg.ts';

/** Binary PPM with 8 bits a sample, as ffmpeg writes it (netpbm's ppm(5), without comments). */
const header = /^P6\n(\d{1,5}) (\d{1,5})\n255\n/;
const headerBytes = 32;
const samples = 3;
const webpQuality = 76;

export interface WebpPicture {
  webp: Buffer;
  width: number;
  height: number;
}

/**
 * What came out of the sandbox is not trusted either: it has to be a picture of no more than the size that was asked
 * for. Its format has nothing to decompress: packing and unpacking would take longer than to find the frame.
 * @throws FfmpegFailure
 */
export async function ppmToWebp(ppm: Buffer, maxPixels: number): Promise<WebpPicture> {
  const { width, height, pixels } = readPpm(ppm, maxPixels);
  // Loaded when it is first needed: it takes memory that a server without posters can save.
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
