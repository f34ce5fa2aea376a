import { limits } from '#contract/limits.ts';
import type { Container } from '../containers/container-sniff.ts';
import type { Sides } from '../containers/tracks.ts';
import type { DescribedAudioTrack, DescribedVideoTrack, Description } from '../ffmpeg/ffmpeg-description.ts';

export type EncodedRendition = 'grid' | 'hd';

/** One picture that is encoded. */
export interface PicturePlan {
  rendition: EncodedRendition;
  width: number;
  height: number;
  rate: FrameRate;
}

/** The same picture in another container. */
interface CopyPlan {
  width: number;
  height: number;
  /** Whether the sound is copied too, or becomes AAC. */
  copiesAudio: boolean;
}

export interface EncodePlan {
  container: Container;
  videoTrack: DescribedVideoTrack;
  audioTrack: DescribedAudioTrack | null;
  copy: CopyPlan | null;
  /** The tallest first: the smaller one is made of it. */
  pictures: PicturePlan[];
  storyboard: StoryboardPlan | null;
  durationMs: number | null;
}

/** What H.264 allows of its levels (ISO 14496-10, table A-1), and what the product asks for. */
export const renditionLimits = {
  grid: {
    lines: limits.gridRenditionLines,
    macroblocks: 3_600,
    macroblocksPerSecond: 108_000,
    /** A quadrant among four: twice as many frames would cost twice the decoding, four times over. */
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
  /** `alone`: where it is possible, nothing else is made; `none`: there is one already. */
  copy: 'alone' | 'beside' | 'none';
  durationMs: number | null;
}

/** A source that is not much heavier than an encoding gains nothing by it. */
const worthwhileFactor = 1.5;

/** What is made of a file. Nothing is ever made larger than it is. */
export function planEncoding(
  {
    container,
    description,
    videoTrack,
  }: { container: Container; description: Description; videoTrack: DescribedVideoTrack },
  ordered: Ordered,
): EncodePlan {
  const durationMs = ordered.durationMs ?? (description.isDurationGuessed ? null : description.durationMs);
  const audioTrack = chooseAudio(description.audioTracks);
  const copy = planCopy(container, videoTrack, audioTrack, ordered);
  const wanted = copy === null ? ordered.renditions : wantedBesideCopy(description, videoTrack, ordered);
  return {
    container,
    videoTrack,
    audioTrack,
    copy,
    pictures: planPictures(videoTrack, wanted),
    storyboard: planStoryboard(videoTrack, durationMs),
    durationMs,
  };
}

/** The default one, else the first, of those that ffmpeg decodes. */
function chooseAudio(tracks: readonly DescribedAudioTrack[]): DescribedAudioTrack | null {
  const known = tracks.filter(({ codec }) => codec !== 'none' && codec !== 'unknown');
  return known.find(({ isDefault }) => isDefault) ?? known[0] ?? null;
}

function planCopy(
  container: Container,
  videoTrack: DescribedVideoTrack,
  audioTrack: DescribedAudioTrack | null,
  { renditions, copy }: Ordered,
): CopyPlan | null {
  if (renditions.length === 0 || copy === 'none' || !choosesCopy(container, videoTrack, audioTrack)) return null;
  const { width, height } = videoTrack;
  return { width, height, copiesAudio: audioTrack !== null && copiesAudio(audioTrack) };
}

/** Beside a copy, only what has fewer lines or far fewer bytes. */
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

/** 1080 lines are coded as 1088, and some files show them all. */
const codedOverlap = 8;

function planPictures(videoTrack: DescribedVideoTrack, renditions: readonly EncodedRendition[]): PicturePlan[] {
  const isSmall = Math.min(videoTrack.width, videoTrack.height) <= renditionLimits.grid.lines;
  // One encoding of a small source is both.
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

/** Containers that say when each frame is shown: AVI and ASF do not, and frames out of order would end up anywhere. */
const timedContainers = new Set<Container>(['mp4', 'mov', 'matroska', 'flv', 'mpeg-ts']);
/** 1080 lines are coded as 1088. Of the shorter side. */
const copiedLinesMax = 1_088;

/**
 * Whether the picture plays everywhere, once it is in another container or has other sound. Interlaced ones do not:
 * players show their combs.
 */
function choosesCopy(
  container: Container,
  videoTrack: DescribedVideoTrack,
  audioTrack: DescribedAudioTrack | null,
): boolean {
  const playsAsItIs = container === 'mp4' && (audioTrack === null || copiesAudio(audioTrack));
  return !playsAsItIs && timedContainers.has(container) && playsEverywhere(videoTrack);
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

/** Profiles of AAC that are no older or newer than what browsers know. */
const knownAacProfiles = new Set([null, 'LC', 'HE-AAC', 'HE-AACv2']);

/** Whether every player plays it in an MP4. */
function copiesAudio({ codec, profile }: DescribedAudioTrack): boolean {
  return codec === 'mp3' || (codec === 'aac' && knownAacProfiles.has(profile));
}

interface SizeLimit {
  /** Of the shorter side. */
  lines: number;
  /** Of 16×16 pixels. Neither side has more than the root of eight times as many. ISO 14496-10, A.3.1 and table A-1. */
  macroblocks: number;
}

/** Never larger, in the same shape, with sides that colours of half their size divide. */
function fitSize({ width, height }: Sides, { lines, macroblocks }: SizeLimit): Sides {
  const byLines = Math.min(1, lines / Math.min(width, height));
  const byArea = Math.min(1, Math.sqrt(macroblocks / countMacroblocks({ width, height })));
  const bySide = (16 * Math.floor(Math.sqrt(8 * macroblocks))) / Math.max(width, height);
  for (let factor = Math.min(byLines, byArea, bySide); ; factor *= 0.98) {
    const size = { width: toEven(width, factor), height: toEven(height, factor) };
    // Whole blocks cover a little more than the picture.
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

/** Frames in so many seconds. */
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
 * What varies becomes as steady as screens are: a frame that is shown twice costs next to nothing. Above it, every other
 * one of a screen recording is left out.
 */
const steadyRate = 30;
const fastSteadyRate = 60;
/** With fewer, no frame would begin every two seconds. */
const minRate = 5;
/** Of a rate that is rounded to two places. */
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

/** ffmpeg says 29.97 and means 30000/1001. */
function exact(rate: number): FrameRate {
  const whole = Math.round(rate);
  if (Math.abs(rate - whole) < tolerance) return { frames: whole, seconds: 1 };
  if (Math.abs(rate - (whole * 1000) / 1001) < tolerance) return { frames: whole * 1000, seconds: 1001 };
  return { frames: Math.round(rate * 100), seconds: 100 };
}

/** A sheet of stills, read left to right, top to bottom; the last ones of its last row may be black. */
export interface StoryboardPlan {
  tiles: number;
  columns: number;
  rows: number;
  tileWidth: number;
  tileHeight: number;
  intervalMs: number;
}

const columnsMax = 10;

/** Null without a known duration: nobody could tell how many stills there will be. */
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
