import { limits } from '#contract/limits.ts';

/** An encoding that this device plays, with its bitrate. */
export interface PlayableEncoding extends Encoding {
  width: number | null;
  /** Null when its size or duration is not known. */
  kbps: number | null;
}

/** The inputs of a quadrant for the choice of an encoding. */
export interface PictureDemand {
  /**
   * Device pixels of the element; null: unknown, and assumed to be a quarter of a full-HD screen.
   */
  width: number | null;
  height: number | null;
  /** The bandwidth for this quadrant; null: unknown. */
  kbps: number | null;
  savesData: boolean;
  /** The share of dropped frames in the last seconds; null: unknown. */
  droppedPercent: number | null;
  /** The most picture lines that the viewer may have. */
  lines: number;
}

/** A viewer chooses for a device: the encodings that fit, the lightest, or the best ones. */
export type QualityChoice = 'automatic' | 'light' | 'best';

/**
 * The encoding for one quadrant; app and server use the same rule: the smallest that fills the
 * element, among those that the viewer may have, that fit the bandwidth and that the device decodes
 * without dropping frames. When all of them exceed the bandwidth, the one with the fewest lines.
 * Null when there is none at all.
 */
export function chooseRendition<E extends PlayableEncoding>(encodings: readonly E[], demand: PictureDemand): E | null {
  const allowed = encodings.filter((encoding) => mayHave(encoding, encodings, demand.lines)).sort(byLines);
  const [lightest] = allowed;
  if (lightest === undefined) return null;
  if (demand.savesData) return lightest;
  const carried = allowed.filter((encoding) => isCarried(encoding, demand.kbps));
  const fitting = carried.filter((encoding) => fills(encoding, demand));
  const chosen = fitting[0] ?? carried[carried.length - 1] ?? lightest;
  return isDropping(demand) ? lighterThan(allowed, chosen) : chosen;
}

/** The share of the element's lines that looks the same as all of them. */
const nearlyFilled = 0.9;

/** Whether the picture has about as many lines as the element shows. */
function fills({ width, height }: PlayableEncoding, demand: PictureDemand): boolean {
  if (height === null) return true;
  const asked = shownLines(width === null ? 16 / 9 : width / height, demand);
  return height >= asked * nearlyFilled;
}

/** The lines of a picture that is fitted into the element (`contain`). */
function shownLines(aspect: number, { width, height }: PictureDemand): number {
  if (width === null && height === null) return limits.gridRenditionLines;
  return Math.min(height ?? Number.POSITIVE_INFINITY, (width ?? Number.POSITIVE_INFINITY) / aspect);
}

/**
 * The share of the bandwidth that is used: others use the network too, and no measurement is exact.
 */
export const usableShare = 0.8;

function isCarried({ kbps }: PlayableEncoding, available: number | null): boolean {
  return kbps === null || available === null || kbps <= available * usableShare;
}

function isDropping({ droppedPercent }: PictureDemand): boolean {
  return droppedPercent !== null && droppedPercent > limits.droppedFramesPercent;
}

function lighterThan<E extends PlayableEncoding>(byWeight: readonly E[], chosen: E): E {
  return byWeight[Math.max(0, byWeight.indexOf(chosen) - 1)] ?? chosen;
}

/**
 * Sorts by lines, fewest first; an unknown height counts as the tallest, and the source comes after
 * others of its height.
 */
export function byLines(one: PlayableEncoding, other: PlayableEncoding): number {
  const difference = heightOf(one) - heightOf(other);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  return Number(one.name === 'source') - Number(other.name === 'source');
}

/**
 * The encodings of a video: for a quarter of the screen, for the whole of it, and the file as it
 * came.
 */
export const renditions = ['grid', 'hd', 'source'] as const;

export type Rendition = (typeof renditions)[number];

export interface Encoding {
  name: Rendition;
  /** Picture lines; null when the container does not say. */
  height: number | null;
}

/** The most lines a viewer may get (§6 HD): no limit with `hd_streaming`. */
export function linesAllowed(features: { hd_streaming: boolean }): number {
  return features.hd_streaming ? Number.POSITIVE_INFINITY : limits.gridRenditionLines;
}

/**
 * Whether the caller may have the encoding: a source without a grid rendition is served as it is,
 * whatever its size.
 */
export function mayHave(encoding: Encoding, available: readonly Encoding[], lines: number): boolean {
  if (encoding.name === 'grid') return true;
  if (encoding.height !== null && encoding.height <= lines) return true;
  if (lines === Number.POSITIVE_INFINITY) return true;
  return encoding.name === 'source' && available.every((other) => other.name !== 'grid');
}

/**
 * The encoding that the stream call serves without a `rendition`: the tallest among those the
 * caller may have; of equal heights, the source.
 */
export function bestAllowed<E extends Encoding>(available: readonly E[], lines: number): E | null {
  const allowed = available.filter((encoding) => mayHave(encoding, available, lines));
  return allowed.reduce<E | null>(
    (best, encoding) => (best === null || isTaller(encoding, best) ? encoding : best),
    null,
  );
}

function isTaller(encoding: Encoding, best: Encoding): boolean {
  if (heightOf(encoding) !== heightOf(best)) return heightOf(encoding) > heightOf(best);
  return encoding.name === 'source';
}

/** An unknown height counts as the tallest, so that a limit never lets it through by accident. */
function heightOf(encoding: Encoding): number {
  return encoding.height ?? Number.POSITIVE_INFINITY;
}

/** Whether a source is so large for its length that it is encoded before a device keeps it. */
export function isHeavyToKeep(bytes: number, durationSeconds: number | null): boolean {
  return durationSeconds !== null && (bytes * 8) / 1000 > durationSeconds * limits.savedHeavyKbps;
}
