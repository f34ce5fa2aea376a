import type { Generated } from 'kysely';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { Instant } from './column-types.ts';

/**
 * What of a video's file was derived: size and time stamp of that file stand in each row, and a row of another file
 * counts for nothing.
 */
interface OfFile {
  size: number;
  modified_us: number;
}

/**
 * Encodings of a video, in MP4 that every device plays. `source` is the same picture in another container, as long as
 * every device plays that.
 */
export interface EncodingsTable extends OfFile {
  video_number: number;
  rendition: Rendition;
  /** Names the file by its content. */
  content: string;
  bytes: number;
  width: number;
  height: number;
  made_at: Instant;
  /** When it was played last, to some minutes. */
  used_at: Instant;
}

export interface StoryboardsTable extends OfFile {
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
export interface SubtitlesTable extends OfFile {
  video_number: number;
  /** Its place among the subtitles of the file. */
  track: number;
  language: string | null;
  label: string;
  content: string;
  bytes: number;
  /** 0: as ffmpeg wrote it, and not to be served. */
  is_converted: Generated<number>;
}

/** Files beside a video, as the WebVTT that is served. */
export interface SubtitlesBesideTable {
  video_number: number;
  /** Names a state of the file. */
  version: string;
  content: string;
  bytes: number;
}

/** What ffmpeg found in a file, and what came of encoding it. */
export interface MediaFindingsTable extends OfFile {
  video_number: number;
  /** Why no encoding can be made, in words for a person; null when one can. */
  failure: string | null;
  /** A JSON array of notes: what was converted plainly, and `UnsupportedTrack`s. */
  notes: string;
  found_at: Instant;
}

/** How often a video was picked whose source is more than its quadrant needs, or waited for. */
export interface EncodingDemandTable {
  video_number: number;
  picks: number;
  /** When somebody last waited for it; null: nobody. */
  waited_at: Instant | null;
  counted_at: Instant;
}
