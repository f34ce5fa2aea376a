import { isWeakDevice } from '#app/platform/capabilities.ts';
import { askDecodingInfo } from '#app/platform/decoding-info.ts';
import type { MediaNeed } from '#contract/rules/media/needs.ts';
import { toNeedBits } from '#contract/rules/media/needs.ts';
import { announceDeviceClass, canPlayType, readMemory, storeMemory } from './device-class.ts';
import { mediaTypes } from './media-types.ts';

interface Question {
  need: MediaNeed;
  type: string;
  video: { width: number; height: number; bitrate: number };
}

const fullHd = { width: 1_920, height: 1_080, bitrate: 8_000_000 };

/** In H.264: what decodes that in such a size decodes its own other formats in it as well. */
const sizes: readonly Question[] = [
  {
    need: 'over-1080-lines',
    type: 'video/mp4; codecs="avc1.640033"',
    video: { width: 3_840, height: 2_160, bitrate: 30_000_000 },
  },
  {
    need: 'over-2160-lines',
    type: 'video/mp4; codecs="avc1.64003e"',
    video: { width: 7_680, height: 4_320, bitrate: 80_000_000 },
  },
];

/** Asks the browser in detail, once for each version of it, and remembers what it says. */
export async function refineDeviceClass(): Promise<void> {
  if (readMemory()) return;
  const named = (Object.entries(mediaTypes) as [MediaNeed, string][]).map(([need, type]) => ({
    need,
    type,
    video: fullHd,
  }));
  const [inTypes, inSizes] = await Promise.all([
    Promise.all(named.map(isPlayed)),
    Promise.all(sizes.map(isPlayedSmoothly)),
  ]);
  const played = [...named.filter((_, at) => inTypes[at]), ...sizes.filter((_, at) => inSizes[at])];
  storeMemory({ plays: toNeedBits(['quicktime', ...played.map(({ need }) => need)]), lost: 0, lostAt: 0 });
  announceDeviceClass();
}

/** A container alone is not asked about in detail. */
async function isPlayed({ type, video }: Question): Promise<boolean> {
  const info = type.includes('codecs') ? await askDecodingInfo(type, video) : null;
  return info ? info.supported : canPlayType(type);
}

/** What is decoded with an effort is too much beside three others. */
async function isPlayedSmoothly({ need, type, video }: Question): Promise<boolean> {
  const info = await askDecodingInfo(type, video);
  if (info) return info.supported && info.smooth;
  return need === 'over-1080-lines' && canPlayType(type) && !isWeakDevice();
}
