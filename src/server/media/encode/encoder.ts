import type { FileHandle } from 'node:fs/promises';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { Description } from '../ffmpeg/ffmpeg-description.ts';
import type { EncodedRendition, EncodePlan } from './ladder.ts';
import type { EncodedStoryboard, ExtractedSubtitles } from './made-files.ts';

export interface EncodedFile {
  rendition: Rendition;
  /** Absolute, in a private folder. */
  file: string;
  width: number;
  height: number;
}

export interface Encoded {
  files: EncodedFile[];
  storyboard: EncodedStoryboard | null;
  subtitles: ExtractedSubtitles[];
  notes: MediaNote[];
}

export interface EncodeOrder {
  file: FileHandle;
  /** What is to be made; nothing: what is inside alone (storyboard, subtitles, notes). */
  renditions: readonly EncodedRendition[];
  /**
   * Where the same picture could play everywhere from another container, it is copied into one: `beside` what was
   * ordered (usually); `alone`, which takes seconds, while somebody waits; or not (`none`), because it was before.
   */
  copy?: 'beside' | 'alone' | 'none';
  /** As the scan knows it. */
  durationMs: number | null;
  /** Of all files together. */
  maxBytes: number;
  /** What yields stands still while anything goes first; absent: neither. */
  precedence?: 'first' | 'yields';
  signal: AbortSignal;
  /** 0 to 100. */
  report(progress: number): void;
}

export interface EncoderFacts {
  /** ffmpeg's name for it. */
  encoder: string;
  isHardware: boolean;
  /** Whether HDR is brought down by tone mapping; otherwise it is converted plainly. */
  mapsTones: boolean;
}

export interface Encoder {
  /** Null without an ffmpeg that encodes. */
  facts(): Promise<EncoderFacts | null>;
  /**
   * Makes what was ordered with one decode; `store` gets it while the private folder stands. Of a source that is no
   * taller than the grid there is one encoding.
   * @throws FfmpegFailure
   */
  encode<T>(order: EncodeOrder, store: (encoded: Encoded) => Promise<T>): Promise<T>;
  /** Stops all running programs where they are, and lets them go on. */
  setPaused(isPaused: boolean): void;
}

/** What ffmpeg found and did, worth telling. */
type MediaNote = { kind: 'hdr-converted-plainly' } | { kind: 'picture-subtitles' | 'audio'; language: string | null };

/** Tracks that cannot be chosen are named, not dropped silently. */
export function listNotes(
  { subtitles, audioTracks }: Description,
  { videoTrack, audioTrack, pictures }: EncodePlan,
  mapsTones: boolean,
): MediaNote[] {
  const isPlain = videoTrack.isHdr && pictures.length > 0 && !mapsTones;
  return [
    ...(isPlain ? [{ kind: 'hdr-converted-plainly' } as const] : []),
    ...subtitles
      .filter(({ form }) => form !== 'text')
      .map(({ language }) => ({ kind: 'picture-subtitles' as const, language })),
    ...audioTracks
      .filter(({ index }) => index !== audioTrack?.index)
      .map(({ language }) => ({ kind: 'audio' as const, language })),
  ];
}
