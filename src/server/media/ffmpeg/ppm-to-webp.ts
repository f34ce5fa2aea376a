import { FfmpegFailure } from './ffmpeg.ts';

const pngMagic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const webpQuality = 76;

export interface WebpPicture {
  webp: Buffer;
  width: number;
  height: number;
}

/**
 * What came out of the sandbox is not trusted either: it has to be a PNG of no more than the size that was asked for.
 * @throws FfmpegFailure
 */
export async function pngToWebp(png: Buffer, maxPixels: number): Promise<WebpPicture> {
  if (!png.subarray(0, pngMagic.length).equals(pngMagic)) throw new FfmpegFailure('unreadable');
  // Loaded when it is first needed: it takes memory that a server without posters can save.
  const { default: sharp } = await import('sharp');
  sharp.concurrency(1);
  try {
    const picture = sharp(png, { limitInputPixels: maxPixels, failOn: 'error' }).webp({ quality: webpQuality });
    const { data, info } = await picture.toBuffer({ resolveWithObject: true });
    return { webp: data, width: info.width, height: info.height };
  } catch {
    throw new FfmpegFailure('unreadable');
  }
}
