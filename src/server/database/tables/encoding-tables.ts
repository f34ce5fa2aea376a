import type { Generated } from 'kysely';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { Instant } from './column-types.ts';

/**
 * Base of rows that are derived from a video's file: they hold its size and time stamp, and are
 * ignored once the file has others.
 */
interface OfFile {
  size: number;
  modified_us: number;
}

/**
 * Encodings of a video, in MP4 that every device plays. `source` is the unchanged picture in
 * another container, if every device plays it.
 */
interface EncodingsTable extends OfFile {
  video_number: number;
  rendition: Rendition;
  /** A file name derived from the content. */
  content: string;
  bytes: number;
  width: number;
  height: number;
  made_at: Instant;
  /** When it was last played, accurate to some minutes. */
  used_at: Instant;
}

/** Encodings with another audio track than the one that plays by default. */
interface AudioEncodingsTable extends EncodingsTable {
  /** The place of the track among the audio tracks of the file. */
  track: number;
  /** A BCP 47 tag, or null. */
  language: string | null;
}

interface StoryboardsTable extends OfFile {
  video_number: number;
  content: string;
  bytes: number;
  columns: number;
  rows: number;
  tile_width: number;
  tile_height: number;
  interval_ms: number;
  made_at: Instant;
}

/** Text tracks of a file, as WebVTT. */
interface SubtitlesTable extends OfFile {
  video_number: number;
  /** The index among the subtitle tracks of the file. */
  track: number;
  language: string | null;
  label: string;
  content: string;
  bytes: number;
  /** 0: as ffmpeg wrote it, and not to be served. */
  is_converted: Generated<number>;
}

/** Subtitle files next to a video, as the WebVTT that is served. */
interface SubtitlesBesideTable {
  video_number: number;
  /** Identifies a state of the file. */
  version: string;
  content: string;
  bytes: number;
}

/** Findings of ffmpeg about a file, and the result of encoding it. */
interface MediaFindingsTable extends OfFile {
  video_number: number;
  /** The reason why no encoding can be made, in words for a person; null if one can. */
  failure: string | null;
  /** A JSON array of notes: simplifications by the conversion, and `UnsupportedTrack`s. */
  notes: string;
  found_at: Instant;
}

/** Counts how often a video was picked in a quadrant that needs less, or was waited for. */
interface EncodingDemandTable {
  video_number: number;
  picks: number;
  /** When somebody last waited for it; null: never. */
  waited_at: Instant | null;
  counted_at: Instant;
}

export interface EncodingTables {
  encodings: EncodingsTable;
  audio_encodings: AudioEncodingsTable;
  storyboards: StoryboardsTable;
  subtitles: SubtitlesTable;
  subtitles_beside: SubtitlesBesideTable;
  media_findings: MediaFindingsTable;
  encoding_demand: EncodingDemandTable;
}
