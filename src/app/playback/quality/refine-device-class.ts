import { isWeakDevice } from '#app/platform/capabilities.ts';
import { askDecodingInfo } from '#app/platform/later-capabilities.ts';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import { toNeedBits } from '#contract/rules/media-needs.ts';
import { announceDeviceClass, canPlayType, mediaTypes, readMemory, storeMemory } from './device-class.ts';

const fullHd = { width: 1_920, height: 1_080, bitrate: 8_000_000 };

/**
 * Sizes are queried in H.264: a device that decodes a size in H.264 decodes it in its other codecs
 * as well.
 */
const sizes = [
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
] as const;

/** Queries the browser in detail, once per browser version, and stores the result. */
export async function refineDeviceClass(): Promise<void> {
  if (readMemory()) return;
  const played = [...(await Promise.all(mediaTypes.map(playedOf))), ...(await Promise.all(sizes.map(playedSize)))];
  storeMemory({ plays: played.reduce((bits, bit) => bits | bit, toNeedBits(['quicktime'])), lost: 0, lostAt: 0 });
  announceDeviceClass();
}

/** A type without codecs cannot be queried in detail. Sound needs an `audio/` type. */
async function playedOf(type: string, place: number): Promise<DeviceClass> {
  if (type === '') return 0;
  const isSound = 1 << place > toNeedBits(['over-2160-lines']);
  const info = type.includes('codecs')
    ? await askDecodingInfo(isSound ? type.replace('video', 'audio') : type, fullHd)
    : null;
  return (info ? info.supported : canPlayType(type)) ? 1 << place : 0;
}

/** A size that is not decoded smoothly is too much next to three other videos. */
async function playedSize({ need, type, video }: (typeof sizes)[number]): Promise<DeviceClass> {
  const info = await askDecodingInfo(type, video);
  const isAssumed = need === 'over-1080-lines' && canPlayType(type) && !isWeakDevice();
  return (info ? info.supported && info.smooth : isAssumed) ? toNeedBits([need]) : 0;
}
