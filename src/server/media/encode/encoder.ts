import type { FileHandle } from 'node:fs/promises';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { Description } from '../ffmpeg/ffmpeg-description.ts';
import { toAudioName } from '../track-name.ts';
import type { EncodedRendition, EncodePlan } from './ladder.ts';
import { isDecodable } from './ladder.ts';
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
  /**
   * The place of the audio track among those of the file: only files with this track are made.
   * Absent: the track that plays by default.
   */
  audioTrack?: number;
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

/** A limitation of an encoding that people should know of, or an audio track that they can choose. */
type MediaNote =
  | { kind: 'hdr-converted-plainly' }
  | { kind: 'picture-subtitles' | 'audio'; language: string | null }
  | AudioTrackNote;

/** An audio track that can be chosen, of a file that has several. */
interface AudioTrackNote {
  kind: 'audio-track';
  /** Its place among the audio tracks of the file. */
  track: number;
  /** A BCP 47 tag, or null. */
  language: string | null;
  label: string;
  /** It is the one that plays by default. */
  isDefault: boolean;
}

/** Lists HDR without tone mapping, the tracks that cannot be chosen, and the audio tracks that can. */
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
    ...audioTracks.filter((track) => !isDecodable(track)).map(({ language }) => ({ kind: 'audio' as const, language })),
    ...listAudioTracks(audioTracks, audioTrack),
  ];
}

/** A file may name any number of tracks. */
const audioTracksMax = 32;

function listAudioTracks(tracks: Description['audioTracks'], chosen: EncodePlan['audioTrack']): AudioTrackNote[] {
  const notes = tracks.flatMap((track, place) => {
    if (!isDecodable(track)) return [];
    const { language, label } = toAudioName(track);
    return { kind: 'audio-track' as const, track: place, language, label, isDefault: track.index === chosen?.index };
  });
  return notes.length > 1 ? notes.slice(0, audioTracksMax) : [];
}
