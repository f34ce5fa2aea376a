/** A tag as a file describes it. Null: the file does not say. */
export interface TagLine {
  kind: 'tag';
  line: number;
  name: string;
  description: string | null;
  color: string | null;
  aliases: readonly string[];
}

/** A tag on a video, by the path that clients know the video by. */
export interface LinkLine {
  kind: 'link';
  line: number;
  name: string;
  path: string;
}

/** What cannot be read, in words for whoever brought the file. */
interface UnreadableLine {
  kind: 'unreadable';
  line: number;
  message: string;
}

/** What a file of tags and links says. `line` counts from 1: lines of CSV, tags of JSON. */
export type TransferLine = TagLine | LinkLine | UnreadableLine;

/** A tag with everything that a file holds of it. */
export interface ExportedTag {
  name: string;
  description: string;
  color: string;
  aliases: readonly string[];
  /** Paths of its videos, in pages. */
  videos: AsyncIterable<readonly string[]>;
}
