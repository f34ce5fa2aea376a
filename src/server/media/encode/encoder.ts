import type { FileHandle } from 'node:fs/promises';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { Description } from '../ffmpeg/ffmpeg-description.ts';
import type { EncodedRendition, EncodePlan } from './ladder.ts';
import type { EncodedStoryboard, ExtractedSubtitles } from './made-files.ts';

export interface EncodedFile {
  rendition: Rendition;
  /** Absolute path in a private folder. */
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
  /** The renditions to make. If empty, only the storyboard, subtitles and notes are made. */
  renditions: readonly EncodedRendition[];
  /**
   * Whether to copy a picture that plays everywhere into an MP4 if the file itself does not play.
   * `beside` (the default) copies it in addition to the renditions; `alone` only copies it, which
   * takes seconds, while a person waits; `none` does not, because there is a copy already.
   */
  copy?: 'beside' | 'alone' | 'none';
  /** The duration that the scan found. */
  durationMs: number | null;
  /** Largest size of all files together. */
  maxBytes: number;
  /** `yields` pauses while any order with `first` runs. Absent: neither. */
  precedence?: 'first' | 'yields';
  signal: AbortSignal;
  /** @param progress 0 to 100 */
  report(progress: number): void;
}

export interface EncoderFacts {
  /** ffmpeg's name of the encoder. */
  encoder: string;
  isHardware: boolean;
  /** Whether HDR is tone-mapped. If not, it is converted without tone mapping. */
  mapsTones: boolean;
}

export interface Encoder {
  /** Null if there is no ffmpeg that can encode. */
  facts(): Promise<EncoderFacts | null>;
  /**
   * Makes everything that is ordered with one decode and passes it to `store`; the private folder
   * is removed afterwards. A source that is no taller than the grid rendition gets only one
   * encoding.
   * @throws FfmpegFailure
   */
  encode<T>(order: EncodeOrder, store: (encoded: Encoded) => Promise<T>): Promise<T>;
  /** Pauses and resumes all running programs. */
  setPaused(isPaused: boolean): void;
}

/** A limitation of an encoding that people should know of. */
type MediaNote = { kind: 'hdr-converted-plainly' } | { kind: 'picture-subtitles' | 'audio'; language: string | null };

/** Lists HDR without tone mapping, and the tracks that the encodings lack. */
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
