import type { VideoEncoding } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { DeviceClass, NeedBits } from '#contract/rules/media-needs.ts';
import { lackingNeeds, mediaNeeds, showsPicture, toNeedBits } from '#contract/rules/media-needs.ts';
import type { PictureDemand, PlayableEncoding } from '#contract/rules/rendition.ts';
import { chooseRendition, mayHave } from '#contract/rules/rendition.ts';
import type { Audience } from './audience.ts';
import type { StoredEncoding } from './encoding-repository.ts';
import type { Video } from './video.ts';
import { versionOf } from './video.ts';

/** What is known of the element that is to show it. */
export type ElementFacts = Omit<PictureDemand, 'lines'>;

/** A card, or a quadrant of which nothing has been told: it gets what is enough for a quarter of a screen. */
export const unknownElement: ElementFacts = {
  width: null,
  height: null,
  kbps: null,
  savesData: false,
  droppedPercent: null,
};

/** How a video is played by one device. */
export interface Playback {
  chosen: VideoFileChoice;
  /** All that this device plays and this viewer may have. */
  allowed: readonly VideoFileChoice[];
}

/** Without a file that this device plays it is one that others do: no player is left without an address. */
export function choosePlayback(
  { video, encodings }: { video: Video; encodings: readonly StoredEncoding[] },
  { device, lines }: Pick<Audience, 'device' | 'lines'>,
  element: ElementFacts = unknownElement,
): Playback {
  const demand = { ...element, lines };
  const playable = listPlayable(video, encodings, device);
  const chosen =
    chooseRendition(playable, demand) ??
    chooseRendition(listPlayable(video, encodings, everyDevice), demand) ??
    toOriginal(video);
  return { chosen, allowed: playable.filter((file) => mayHave(file, playable, lines)) };
}

export function toEncodingReply({ name, bytes, width, height, needs }: VideoFileChoice): VideoEncoding {
  return { name, bytes, width, height, ...(needs === 0 ? {} : { needs }) };
}

/** An encoding is worth its room when it takes at most so much of what the source does. */
const worthwhileShare = 0.5;

/** Whether a source was given only because there is no `grid`: that would do for this element, and saves a lot. */
export function needsLess(
  given: VideoFileChoice,
  encodings: readonly Pick<StoredEncoding, 'rendition'>[],
  element: ElementFacts = unknownElement,
): boolean {
  if (given.name !== 'source' || encodings.some(({ rendition }) => rendition === 'grid')) return false;
  const grid = expectedGrid(given);
  const wouldDo = chooseRendition([given, grid], { ...element, lines: Number.POSITIVE_INFINITY }) === grid;
  return wouldDo && (given.kbps === null || limits.gridKbps <= given.kbps * worthwhileShare);
}

/** What would be made of it. */
function expectedGrid({ width, height }: PlayableEncoding): PlayableEncoding {
  const lines = Math.min(height ?? limits.gridRenditionLines, limits.gridRenditionLines);
  return {
    name: 'grid',
    width: width === null || height === null ? null : Math.round((width * lines) / height),
    height: lines,
    kbps: limits.gridKbps,
  };
}

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
function toOriginal(video: Video): VideoFileChoice {
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
