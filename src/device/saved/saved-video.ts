import type { Rendition } from '#contract/rules/rendition.ts';
import { renditions } from '#contract/rules/rendition.ts';
import type { FilterMode } from '#contract/rules/tag-filter.ts';

/* The videos that this device keeps. Instants are epoch milliseconds, sizes bytes. */

/** Why a video is not saved, or no longer. */
export type SavedReason =
  /** The browser removed its bytes. */
  | 'evicted'
  /** The site no longer has it. */
  | 'gone'
  /** The viewer's plan does not include this rendition. */
  | 'plan'
  /** The device has no room for it. */
  | 'no-room'
  /** This device could not play the bytes. */
  | 'unplayable'
  /** The file is larger than `savedFileBytes`. */
  | 'too-large'
  /** The site has not encoded its heavy source in time. */
  | 'not-smaller';

/**
 * `waiting`: its bytes are still to be fetched. `paused`: by the viewer, or because the device has
 * no room. `whole`: all of its bytes are here. `failed`: it is not fetched by itself.
 */
type SavedState = 'waiting' | 'saving' | 'paused' | 'whole' | 'failed';

/** A subtitle track of a saved video, as WebVTT. */
interface SavedTrack {
  track: number;
  language: string | null;
  label: string;
  text: string;
}

/** The sheet of stills of a saved video. */
export interface SavedStoryboard {
  sheet: Blob;
  columns: number;
  rows: number;
  tileWidth: number;
  tileHeight: number;
  intervalSeconds: number;
}

/** A file of a video that one viewer keeps on this device. */
export interface SavedVideo {
  /** A random id, which owns the bytes. */
  id: string;
  videoId: string;
  path: string;
  filename: string;
  /** The version in its address, which identifies its bytes; empty until the server has named one. */
  version: string;
  rendition: Rendition;
  /** The audio track of its file; absent: the default one. */
  audioTrack?: number | undefined;
  /** The viewer whose video it is; `nobody` when nobody was signed in. */
  userId: string;
  /** `chosen`: kept until the viewer removes it. `reel`: kept by itself, and the first to give way. */
  kind: 'chosen' | 'reel';
  size: number;
  /** Pieces of `savedPieceBytes` from the start on, without a gap. */
  savedBytes: number;
  state: SavedState;
  reason: SavedReason | null;
  /** How often its whole bytes did not play here. */
  failures: number;
  tagIds: string[];
  durationSeconds: number | null;
  width: number | null;
  height: number | null;
  /** The media type of its bytes, once they come. */
  type: string;
  /** The needs of the file (`rules/media-needs.ts`). */
  needs: number;
  poster: Blob | null;
  storyboard: SavedStoryboard | null;
  subtitles: SavedTrack[];
  /**
   * Whether poster, storyboard and subtitles are those that the site has; false: some could not be
   * had. Rows of the reel lack it.
   */
  hasExtras?: boolean;
  savedAt: number;
  /** Null: it has not been played from here. */
  playedAt: number | null;
  /** When the server last confirmed that the viewer may have it. */
  checkedAt: number;
  /** The instant from which it is not played before the server has confirmed it again. */
  holdsUntil: number;
  /** The channel that it was saved with; null for a single video. */
  channelId: string | null;
  /**
   * Since when its heavy source is being encoded; null: it is not. 0: the viewer takes the source.
   * Rows of older builds lack it.
   */
  encodedSince?: number | null;
  /** When the session of its viewer ended here (`sweepTime`); null while they are signed in. */
  lockedAt: number | null;
}

/** The key of viewers who are not signed in: null is no key of an index. */
export const nobody = '';

/** Channels of which a viewer keeps the newest videos. */
export interface KeptFilter {
  userId: string;
  tagIds: string[];
  mode: FilterMode;
  /** Whether the large encodings are kept. */
  inHd: boolean;
  /** The playing time that is kept at most; null: as much as fits. */
  seconds: number | null;
  /**
   * Videos that are older than this are kept only when the viewer asks again, in epoch
   * milliseconds.
   */
  since: number;
}

const states: readonly SavedState[] = ['waiting', 'saving', 'paused', 'whole', 'failed'];

/** @returns null for a row of an older or a newer build that this one cannot use */
export function readSavedVideo(row: unknown): SavedVideo | null {
  if (typeof row !== 'object' || row === null) return null;
  const video = row as SavedVideo;
  return hasNames(video) && hasSizes(video) && hasInstants(video) && hasParts(video) ? video : null;
}

function hasNames({ id, videoId, path, filename, version, userId, type }: SavedVideo): boolean {
  const texts: readonly unknown[] = [id, videoId, path, filename, version, userId, type];
  return texts.every((text) => typeof text === 'string') && id !== '' && videoId !== '';
}

function hasSizes({ size, savedBytes, state, needs, failures }: SavedVideo): boolean {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  if (![size, savedBytes, needs, failures].every(isCount) || savedBytes > size) return false;
  return states.includes(state) && (state !== 'whole' || (size > 0 && savedBytes === size));
}

function hasInstants({ savedAt, checkedAt, holdsUntil, playedAt, lockedAt }: SavedVideo): boolean {
  const isInstant = (value: unknown) => Number.isFinite(value);
  const isInstantOrNull = (value: unknown) => value === null || isInstant(value);
  return [savedAt, checkedAt, holdsUntil].every(isInstant) && [playedAt, lockedAt].every(isInstantOrNull);
}

function hasParts({ kind, rendition, tagIds, subtitles, poster, storyboard }: SavedVideo): boolean {
  const isBlobOrNull = (value: unknown) => value === null || value instanceof Blob;
  return (
    (kind === 'chosen' || kind === 'reel') &&
    renditions.includes(rendition) &&
    Array.isArray(tagIds) &&
    Array.isArray(subtitles) &&
    isBlobOrNull(poster) &&
    (storyboard === null || isBlobOrNull(storyboard.sheet))
  );
}

/** Whether its bytes may be played. @param time the latest time that this device has ever seen */
export function mayPlay({ state, holdsUntil }: SavedVideo, time: number): boolean {
  return state === 'whole' && holdsUntil > time;
}

/** Bytes that do not play are fetched once more; then the viewer decides. */
const maxFailures = 1;

/**
 * Whether what is kept beside the bytes of a chosen video is still to be fetched. Of the reel
 * nothing of the kind is kept.
 */
export function lacksExtras({ kind, state, hasExtras, poster, storyboard, subtitles }: SavedVideo): boolean {
  const hasNone = poster === null && storyboard === null && subtitles.length === 0;
  return kind === 'chosen' && state === 'whole' && (hasExtras ?? !hasNone) === false;
}

/**
 * Whether bytes are to be fetched: a chosen video that the browser has removed, or that did not
 * play, is fetched again by itself.
 */
export function isToBeFetched({ kind, state, reason, failures }: SavedVideo): boolean {
  if (state === 'waiting' || state === 'saving') return true;
  if (kind !== 'chosen' || state !== 'failed') return false;
  return reason === 'evicted' || (reason === 'unplayable' && failures <= maxFailures);
}
