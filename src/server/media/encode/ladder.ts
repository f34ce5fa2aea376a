import { limits } from '#contract/limits.ts';
import type { Container } from '../containers/container-sniff.ts';
import type { DescribedAudioTrack } from '../ffmpeg/described-sound.ts';
import type { DescribedVideoTrack } from '../ffmpeg/described-video.ts';
import type { Description } from '../ffmpeg/ffmpeg-description.ts';
import type { FrameRate } from './frame-rate.ts';
import { chooseRate } from './frame-rate.ts';
import { countMacroblocks, fitSize } from './picture-size.ts';
import type { StoryboardPlan } from './storyboard-plan.ts';
import { planStoryboard } from './storyboard-plan.ts';
import { choosesCopy, copiesAudio } from './stream-copy.ts';

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
