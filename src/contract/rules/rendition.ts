import { limits } from '#contract/limits.ts';

/** An encoding that this device plays, with what it costs. */
export interface PlayableEncoding extends Encoding {
  width: number | null;
  /** Null when its size or duration is not known. */
  kbps: number | null;
}

/** What a quadrant asks for. */
export interface PictureDemand {
  /** Device pixels of the element itself; null: not known, and taken for a quarter of a full-HD screen. */
  width: number | null;
  height: number | null;
  /** What the network gives this quadrant; null: not known. */
  kbps: number | null;
  savesData: boolean;
  /** Of the frames of the last seconds; null: not known. */
  droppedPercent: number | null;
  /** The most lines that the viewer may have. */
  lines: number;
}

/**
 * The encoding for one quadrant, by the same rule on both sides: the smallest that fills the element, among those that
 * the viewer may have, that the network carries and that the device decodes without dropping frames; of all that are
 * too much, the lightest. Null when there is none at all.
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

/** A little less than the element's own lines cannot be told from them. */
const nearlyFilled = 0.9;

/** Whether the picture has as many lines as the element shows of it. */
function fills({ width, height }: PlayableEncoding, demand: PictureDemand): boolean {
  if (height === null) return true;
  const asked = shownLines(width === null ? 16 / 9 : width / height, demand);
  return height >= asked * nearlyFilled;
}

/** The lines of a picture that is fitted into the element whole. */
function shownLines(aspect: number, { width, height }: PictureDemand): number {
  if (width === null && height === null) return limits.gridRenditionLines;
  return Math.min(height ?? Number.POSITIVE_INFINITY, (width ?? Number.POSITIVE_INFINITY) / aspect);
}

/** A network is never used up to its last bit: others use it, and no measurement is exact. */
const usableShare = 0.8;

function isCarried({ kbps }: PlayableEncoding, available: number | null): boolean {
  return kbps === null || available === null || kbps <= available * usableShare;
}

function isDropping({ droppedPercent }: PictureDemand): boolean {
  return droppedPercent !== null && droppedPercent > limits.droppedFramesPercent;
}

function lighterThan<E extends PlayableEncoding>(byWeight: readonly E[], chosen: E): E {
  return byWeight[Math.max(0, byWeight.indexOf(chosen) - 1)] ?? chosen;
}

/** Fewest lines first; an unknown height counts as the tallest, and of equal ones the source is the heaviest. */
function byLines(one: PlayableEncoding, other: PlayableEncoding): number {
  const difference = linesOf(one) - linesOf(other);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  return Number(one.name === 'source') - Number(other.name === 'source');
}

function linesOf({ height }: PlayableEncoding): number {
  return height ?? Number.POSITIVE_INFINITY;
}

/** The encodings of a video: for a quarter of the screen, for the whole of it, and the file as it came. */
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

/** Whether the caller may have it: a source without a grid rendition is played as it is, whatever its size. */
export function mayHave(encoding: Encoding, available: readonly Encoding[], lines: number): boolean {
  if (encoding.name === 'grid') return true;
  if (encoding.height !== null && encoding.height <= lines) return true;
  if (lines === Number.POSITIVE_INFINITY) return true;
  return encoding.name === 'source' && available.every((other) => other.name !== 'grid');
}

/**
 * What the stream call gives without a `rendition`: the most lines among those the caller may have; equal heights go to
 * the source.
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
