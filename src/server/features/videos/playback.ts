import type { VideoEncoding } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { DeviceClass, NeedBits } from '#contract/rules/media-needs.ts';
import { lackingNeeds, mediaNeeds, showsPicture, toNeedBits } from '#contract/rules/media-needs.ts';
import type { PictureDemand, PlayableEncoding } from '#contract/rules/rendition.ts';
import { chooseRendition, mayHave } from '#contract/rules/rendition.ts';
import type { Audience } from './audience.ts';
import type { StoredEncoding } from './encoding-repository.ts';
import { withDefaultAudio } from './encoding-repository.ts';
import type { LibraryVideo } from './video.ts';
import { versionOf } from './video.ts';

/** The known facts about the media element that will show the video. */
export type ElementFacts = Omit<PictureDemand, 'lines'>;

/** A card, or a quadrant without reported facts; both get an encoding for a quarter of a screen. */
export const unknownElement: ElementFacts = {
  width: null,
  height: null,
  kbps: null,
  savesData: false,
  droppedPercent: null,
};

/** The files by which one device plays a video. */
export interface Playback {
  chosen: VideoFileChoice;
  /** All files that this device plays and this viewer may have. */
  allowed: readonly VideoFileChoice[];
}

/**
 * Chooses a file for the device. When the device plays none, it is a file for other devices: a
 * player always gets a URL.
 */
export function choosePlayback(
  {
    video,
    encodings,
    audioTrack,
  }: { video: LibraryVideo; encodings: readonly StoredEncoding[]; audioTrack?: number | null },
  { device, lines }: Pick<Audience, 'device' | 'lines'>,
  element: ElementFacts = unknownElement,
): Playback {
  const demand = { ...element, lines };
  const playable = listPlayable(video, encodings, device, audioTrack);
  const chosen =
    chooseRendition(playable, demand) ??
    chooseRendition(listPlayable(video, encodings, everyDevice, audioTrack), demand) ??
    toOriginal(video);
  return { chosen, allowed: playable.filter((file) => mayHave(file, playable, lines)) };
}

export function toEncodingReply({ name, bytes, width, height, needs }: VideoFileChoice): VideoEncoding {
  return { name, bytes, width, height, ...(needs === 0 ? {} : { needs }) };
}

/** An encoding is worth its disk space when it takes at most this share of the source's bitrate. */
const worthwhileShare = 0.5;

/**
 * Whether a source was chosen only for lack of a `grid` rendition that would suit this element and
 * save much.
 */
export function needsLess(
  given: VideoFileChoice,
  encodings: readonly Pick<StoredEncoding, 'rendition' | 'audio'>[],
  element: ElementFacts = unknownElement,
): boolean {
  const hasGrid = withDefaultAudio(encodings).some(({ rendition }) => rendition === 'grid');
  if (given.name !== 'source' || hasGrid) return false;
  const grid = expectedGrid(given);
  const wouldDo = chooseRendition([given, grid], { ...element, lines: Number.POSITIVE_INFINITY }) === grid;
  return wouldDo && (given.kbps === null || limits.gridKbps <= given.kbps * worthwhileShare);
}

/** The `grid` rendition that would be made of the source. */
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
  /** Identifies a derived file by its content; null for the source file. */
  content: string | null;
  /** Part of ETags and signed URLs; other bytes have another version. */
  version: string;
  /** The needs that a device must meet to play it. */
  needs: NeedBits;
}

/** A device that meets all needs. */
export const everyDevice: DeviceClass = toNeedBits(mediaNeeds);

/**
 * Lists the files by which a device can play a video, one for each rendition; empty when it cannot.
 * `source` is the source file when the device plays all of it, else a copy of its streams in
 * another container. A source that would play silently is listed only without any encoding, because
 * encodings have sound.
 * @param audioTrack limits the list to encodings with this track; null for the default one
 */
export function listPlayable(
  video: LibraryVideo,
  encodings: readonly StoredEncoding[],
  device: DeviceClass,
  audioTrack: number | null = null,
): VideoFileChoice[] {
  if (audioTrack !== null)
    return encodings.filter(({ audio }) => audio?.track === audioTrack).map((encoding) => toChoice(video, encoding));
  const derived = withDefaultAudio(encodings).map((encoding) => toChoice(video, encoding));
  const original = findOriginal(video, device);
  const hasOriginal = original !== null && (lackingNeeds(video.needs, device) === 0 || derived.length === 0);
  return hasOriginal ? [original, ...derived.filter(({ name }) => name !== 'source')] : derived;
}

function findOriginal(video: LibraryVideo, device: DeviceClass): VideoFileChoice | null {
  return video.isSourcePlayable && showsPicture(video.needs, device) ? toOriginal(video) : null;
}

/** The choice of the source file. */
function toOriginal(video: LibraryVideo): VideoFileChoice {
  const { size: bytes, width, height, needs } = video;
  const kbps = kbpsOf(video, bytes);
  return { name: 'source', bytes, width, height, kbps, content: null, version: versionOf(video), needs };
}

function toChoice(video: LibraryVideo, { rendition, content, bytes, width, height }: StoredEncoding): VideoFileChoice {
  const kbps = kbpsOf(video, bytes);
  return { name: rendition, bytes, width, height, kbps, content, version: content, needs: 0 };
}

function kbpsOf({ durationMs }: LibraryVideo, bytes: number): number | null {
  return durationMs === null || durationMs === 0 ? null : Math.round((bytes * 8) / durationMs);
}
