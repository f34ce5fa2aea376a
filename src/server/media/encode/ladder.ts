import { limits } from '#contract/limits.ts';
import type { Container } from '../containers/container-sniff.ts';
import type { Sides } from '../containers/tracks.ts';
import type { DescribedAudioTrack, DescribedVideoTrack, Description } from '../ffmpeg/ffmpeg-description.ts';
import { longestGapSeconds } from '../probe.ts';

export type EncodedRendition = 'grid' | 'hd';

/** A rendition to encode. */
export interface PicturePlan {
  rendition: EncodedRendition;
  width: number;
  height: number;
  rate: FrameRate;
}

/** A stream copy: the same picture in another container. */
interface CopyPlan {
  width: number;
  height: number;
  /** Whether the sound is copied too. If not, it is encoded as AAC. */
  copiesAudio: boolean;
}

export interface EncodePlan {
  container: Container;
  videoTrack: DescribedVideoTrack;
  audioTrack: DescribedAudioTrack | null;
  copy: CopyPlan | null;
  /** The tallest first, as the smaller one is scaled from it. */
  pictures: PicturePlan[];
  storyboard: StoryboardPlan | null;
  durationMs: number | null;
}

/** The limits of the H.264 levels (ISO 14496-10, table A-1), and those of the product. */
export const renditionLimits = {
  grid: {
    lines: limits.gridRenditionLines,
    macroblocks: 3_600,
    macroblocksPerSecond: 108_000,
    /** At 60 frames per second, each of the four quadrants would need twice the decoding. */
    framesPerSecond: 30,
    kbps: limits.gridKbps,
    profile: 'main',
    level: '3.1',
  },
  hd: {
    lines: limits.hdRenditionLines,
    macroblocks: 8_192,
    macroblocksPerSecond: 245_760,
    framesPerSecond: 60,
    kbps: limits.hdKbps,
    profile: 'high',
    level: '4.0',
  },
} as const;

export interface Ordered {
  renditions: readonly EncodedRendition[];
  /** `alone`: makes nothing else if a copy is possible; `none`: there is a copy already. */
  copy: 'alone' | 'beside' | 'none';
  durationMs: number | null;
  /** The place of the audio track that is chosen; absent: the default one. */
  audioTrack?: number | undefined;
}

/** An encoding is worthwhile if the source has more than this many times its bit rate. */
const worthwhileFactor = 1.5;

interface DescribedSource {
  container: Container;
  description: Description;
  videoTrack: DescribedVideoTrack;
}

/** Plans the files to make of a video. A picture is never enlarged. */
export function planEncoding(source: DescribedSource, ordered: Ordered): EncodePlan {
  const { container, description, videoTrack } = source;
  const durationMs = ordered.durationMs ?? (description.isDurationGuessed ? null : description.durationMs);
  const audioTrack = findAudio(description.audioTracks, ordered.audioTrack);
  const copy = planCopy(source, audioTrack, ordered);
  const wanted = copy === null ? ordered.renditions : wantedBesideCopy(description, videoTrack, ordered);
  return {
    container,
    videoTrack,
    audioTrack,
    copy,
    pictures: planPictures(videoTrack, wanted),
    storyboard: ordered.audioTrack === undefined ? planStoryboard(videoTrack, durationMs) : null,
    durationMs,
  };
}

/** The track at the place, or without a place the default one or the first. It can be decoded. */
function findAudio(tracks: readonly DescribedAudioTrack[], place?: number): DescribedAudioTrack | null {
  const known = (place === undefined ? tracks : tracks.slice(place, place + 1)).filter(isDecodable);
  return known.find(({ isDefault }) => isDefault) ?? known[0] ?? null;
}

/** Whether ffmpeg can decode the track. */
export function isDecodable({ codec }: DescribedAudioTrack): boolean {
  return codec !== 'none' && codec !== 'unknown';
}

function planCopy(
  { container, description, videoTrack }: DescribedSource,
  audioTrack: DescribedAudioTrack | null,
  ordered: Ordered,
): CopyPlan | null {
  const { renditions, copy } = ordered;
  if (renditions.length === 0 || copy === 'none' || !mayCopy(container, videoTrack)) return null;
  // The file itself plays its default track.
  const hasGap = description.startSeconds > longestGapSeconds;
  const isOrdered = ordered.audioTrack !== undefined || hasGap;
  if (!isOrdered && playsAsItIs(container, audioTrack)) return null;
  const { width, height } = videoTrack;
  return { width, height, copiesAudio: audioTrack !== null && copiesAudio(audioTrack) };
}

/** The renditions to make besides a copy: those with fewer lines or a far lower bit rate. */
function wantedBesideCopy(
  { kbps }: Description,
  { width, height }: DescribedVideoTrack,
  { renditions, copy }: Ordered,
): EncodedRendition[] {
  if (copy === 'alone') return [];
  const isWorthwhile = (rendition: EncodedRendition) =>
    Math.min(width, height) > renditionLimits[rendition].lines + codedOverlap ||
    (kbps ?? 0) > renditionLimits[rendition].kbps * worthwhileFactor;
  return renditions.filter(isWorthwhile);
}

/** 1080 lines are coded as 1088, and some files do not crop them. */
const codedOverlap = 8;

function planPictures(videoTrack: DescribedVideoTrack, renditions: readonly EncodedRendition[]): PicturePlan[] {
  const isSmall = Math.min(videoTrack.width, videoTrack.height) <= renditionLimits.grid.lines;
  // One encoding of a small source serves as both renditions.
  const wanted = (['hd', 'grid'] as const).filter((rendition) =>
    isSmall ? rendition === 'grid' && renditions.length > 0 : renditions.includes(rendition),
  );
  return wanted.map((rendition) => planPicture(videoTrack, rendition));
}

function planPicture(videoTrack: DescribedVideoTrack, rendition: EncodedRendition): PicturePlan {
  const limit = renditionLimits[rendition];
  const size = fitSize(videoTrack, limit);
  const rate = chooseRate(videoTrack, {
    max: limit.framesPerSecond,
    macroblocks: countMacroblocks(size),
    macroblocksPerSecond: limit.macroblocksPerSecond,
  });
  return { rendition, ...size, rate };
}

/**
 * Containers that store presentation times. AVI and ASF do not, so copied frames could be out of
 * order.
 */
const timedContainers = new Set<Container>(['mp4', 'mov', 'matroska', 'flv', 'mpeg-ts']);
/** Limits the shorter side of a copied picture. 1080 lines are coded as 1088. */
const copiedLinesMax = 1_088;

/**
 * Whether a copy of the picture plays everywhere. Interlaced video is not copied, because players
 * show its combing.
 */
function mayCopy(container: Container, videoTrack: DescribedVideoTrack): boolean {
  return timedContainers.has(container) && playsEverywhere(videoTrack);
}

/** Whether a file with a picture that plays everywhere does so itself. */
function playsAsItIs(container: Container, audioTrack: DescribedAudioTrack | null): boolean {
  return container === 'mp4' && (audioTrack === null || copiesAudio(audioTrack));
}

function playsEverywhere({
  codec,
  bitDepth,
  chroma,
  width,
  height,
  isInterlaced,
  isHdr,
}: DescribedVideoTrack): boolean {
  return (
    codec === 'avc' &&
    bitDepth === 8 &&
    chroma === '4:2:0' &&
    isInterlaced !== true &&
    !isHdr &&
    Math.min(width, height) <= copiedLinesMax
  );
}

/** AAC profiles that browsers support. */
const knownAacProfiles = new Set([null, 'LC', 'HE-AAC', 'HE-AACv2']);

/** Whether every player plays this sound in an MP4. */
function copiesAudio({ codec, profile }: DescribedAudioTrack): boolean {
  return codec === 'mp3' || (codec === 'aac' && knownAacProfiles.has(profile));
}

interface SizeLimit {
  /** Largest number of pixels of the shorter side. */
  lines: number;
  /**
   * Largest number of 16×16 blocks. Neither side may exceed the square root of eight times this
   * number of blocks (ISO 14496-10, A.3.1 and table A-1).
   */
  macroblocks: number;
}

/** Scales down to the limit, never up, with the same shape and even sides, as 4:2:0 needs. */
function fitSize({ width, height }: Sides, { lines, macroblocks }: SizeLimit): Sides {
  const byLines = Math.min(1, lines / Math.min(width, height));
  const byArea = Math.min(1, Math.sqrt(macroblocks / countMacroblocks({ width, height })));
  const bySide = (16 * Math.floor(Math.sqrt(8 * macroblocks))) / Math.max(width, height);
  for (let factor = Math.min(byLines, byArea, bySide); ; factor *= 0.98) {
    const size = { width: toEven(width, factor), height: toEven(height, factor) };
    // Whole blocks may cover slightly more than the picture.
    if (countMacroblocks(size) <= macroblocks || factor < 0.01) return size;
  }
}

function countMacroblocks({ width, height }: Sides): number {
  return Math.ceil(width / 16) * Math.ceil(height / 16);
}

function toEven(side: number, factor: number): number {
  const largest = side - (side % 2);
  return Math.max(2, Math.min(largest, 2 * Math.round((side * factor) / 2)));
}

/** A rational frame rate: a number of frames in a number of seconds. */
export interface FrameRate {
  frames: number;
  seconds: number;
}

interface RateLimit {
  /** Frames per second. */
  max: number;
  macroblocks: number;
  macroblocksPerSecond: number;
}

/**
 * A variable rate becomes constant, because a repeated frame costs next to nothing. Above this
 * rate, it becomes `fastSteadyRate`, so that a screen recording does not lose every other frame.
 */
const steadyRate = 30;
const fastSteadyRate = 60;
/** At a lower rate, key frames could not be two seconds apart. */
const minRate = 5;
/** Rounding error of a rate with two decimal places. */
const tolerance = 0.006;

/** The rate of the source, halved until it is within the limit. */
function chooseRate(
  { framesPerSecond, hasVariableRate }: { framesPerSecond: number | null; hasVariableRate: boolean },
  limit: RateLimit,
): FrameRate {
  const rate = exact(steady(framesPerSecond, hasVariableRate));
  const max = Math.min(limit.max, limit.macroblocksPerSecond / limit.macroblocks) + tolerance;
  while (rate.frames / rate.seconds > max && rate.frames / rate.seconds > minRate) rate.seconds *= 2;
  return rate;
}

function steady(framesPerSecond: number | null, hasVariableRate: boolean): number {
  if (framesPerSecond === null) return steadyRate;
  if (hasVariableRate) return framesPerSecond > steadyRate + 1 ? fastSteadyRate : steadyRate;
  return Math.max(minRate, framesPerSecond);
}

/** Recovers the exact rate: ffmpeg prints 29.97 for 30000/1001. */
function exact(rate: number): FrameRate {
  const whole = Math.round(rate);
  if (Math.abs(rate - whole) < tolerance) return { frames: whole, seconds: 1 };
  if (Math.abs(rate - (whole * 1000) / 1001) < tolerance) return { frames: whole * 1000, seconds: 1001 };
  return { frames: Math.round(rate * 100), seconds: 100 };
}

/**
 * A storyboard: stills from left to right, top to bottom. The last ones of the last row may be
 * black.
 */
export interface StoryboardPlan {
  tiles: number;
  columns: number;
  rows: number;
  tileWidth: number;
  tileHeight: number;
  intervalMs: number;
}

const columnsMax = 10;

/** Null without a known duration, since the number of stills depends on it. */
export function planStoryboard({ width, height }: Sides, durationMs: number | null): StoryboardPlan | null {
  if (durationMs === null || durationMs <= 0) return null;
  const intervalMs = Math.max(limits.storyboardMinSeconds * 1000, Math.ceil(durationMs / limits.storyboardTiles));
  const tiles = Math.ceil(durationMs / intervalMs);
  const columns = Math.min(columnsMax, tiles);
  const factor = Math.min(1, limits.storyboardTilePx / Math.max(width, height));
  return {
    tiles,
    columns,
    rows: Math.ceil(tiles / columns),
    tileWidth: Math.max(1, Math.round(width * factor)),
    tileHeight: Math.max(1, Math.round(height * factor)),
    intervalMs,
  };
}
