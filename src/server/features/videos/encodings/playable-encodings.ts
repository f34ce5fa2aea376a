import type { PlayableEncoding } from '#contract/rules/media/choose-rendition.ts';
import type { DeviceClass, NeedBits } from '#contract/rules/media/needs.ts';
import { lackingNeeds, mediaNeeds, showsPicture, toNeedBits } from '#contract/rules/media/needs.ts';
import type { Video } from '../video.ts';
import { versionOf } from '../video.ts';
import type { StoredEncoding } from './encoding-repository.ts';

/** One of the files by which a device can play a video. */
export interface VideoFileChoice extends PlayableEncoding {
  bytes: number;
  /** Names a derived file by its content; null: the file as it came. */
  content: string | null;
  /** Part of ETags and signed addresses: another one for other bytes. */
  version: string;
  /** What it asks of a player. */
  needs: NeedBits;
}

/** What any device may play. */
export const everyDevice: DeviceClass = toNeedBits(mediaNeeds);

/**
 * All files by which a device can play a video, one for each rendition; none when it cannot. The source is the file as
 * it came where the device plays that whole, else the same picture in another container. What would play silently is
 * there only without any encoding: those have sound.
 */
export function listPlayable(
  video: Video,
  encodings: readonly StoredEncoding[],
  device: DeviceClass,
): VideoFileChoice[] {
  const derived = encodings.map((encoding) => toChoice(video, encoding));
  const original = findOriginal(video, device);
  const hasOriginal = original !== null && (lackingNeeds(video.needs, device) === 0 || derived.length === 0);
  return hasOriginal ? [original, ...derived.filter(({ name }) => name !== 'source')] : derived;
}

function findOriginal(video: Video, device: DeviceClass): VideoFileChoice | null {
  return video.isSourcePlayable && showsPicture(video.needs, device) ? toOriginal(video) : null;
}

/** The file as it came. */
export function toOriginal(video: Video): VideoFileChoice {
  const { size: bytes, width, height, needs } = video;
  const kbps = kbpsOf(video, bytes);
  return { name: 'source', bytes, width, height, kbps, content: null, version: versionOf(video), needs };
}

function toChoice(video: Video, { rendition, content, bytes, width, height }: StoredEncoding): VideoFileChoice {
  const kbps = kbpsOf(video, bytes);
  return { name: rendition, bytes, width, height, kbps, content, version: content, needs: 0 };
}

function kbpsOf({ durationMs }: Video, bytes: number): number | null {
  return durationMs === null || durationMs === 0 ? null : Math.round((bytes * 8) / durationMs);
}
