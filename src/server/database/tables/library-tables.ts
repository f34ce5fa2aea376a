import type { ColumnType } from 'kysely';
import type { Flag, Instant, RowNumber } from './column-types.ts';

export interface LibraryRootsTable {
  number: RowNumber;
  /** First segment of a path when several roots are active. */
  name: string;
  folder: string;
  kind: 'folder' | 'demo' | 'uploads';
  /** 0: its folder is no longer configured, or the demo has left. */
  active: Flag;
  /** Since when its folder cannot be read; null while it can. */
  missing_since: Instant | null;
  /** End of its last whole scan. */
  scanned_at: Instant | null;
  created_at: Instant;
}

export interface VideosTable {
  number: RowNumber;
  id: string;
  root_number: number;
  /** Relative to its root, as `library-files.ts` writes names down. */
  path: string;
  filename: string;
  size: number;
  /** The file's own time stamp, epoch microseconds: with the size, it tells a replaced file. */
  modified_us: number;
  /**
   * The file's own number in its file system, brought below 2^53; tells two files of equal size and time stamp that
   * changed names.
   */
  inode: number | null;
  /**
   * `media/probe/fingerprint.ts`: by it a file is recognized that was moved or renamed. Null when it could not be read.
   */
  fingerprint: string | null;
  container: string | null;
  video_codec: string | null;
  audio_codec: string | null;
  /** Bits of each sample of the picture; null when the header does not say. */
  bit_depth: ColumnType<number | null, number | null | undefined, number | null>;
  /** As `contract/rules/media/needs.ts` names it; null likewise. */
  chroma: ColumnType<string | null, string | null | undefined, string | null>;
  /** What a device must play to show the file as it came: `NeedBits` of that file. */
  needs: ColumnType<number, number | undefined, number>;
  /** Version of the reader that read the header: an older one is read again by the next scan. */
  header_version: ColumnType<number, number | undefined, number>;
  duration_ms: number | null;
  width: number | null;
  height: number | null;
  /** Why its bytes cannot be played (a key of `media/unplayable.ts`); null when they can. */
  reason: string | null;
  /** Since when the file is gone; null while it is there. Rows stay: tags and ids survive an unplugged disk. */
  missing_since: Instant | null;
  /** Since when an administrator hides it, and who: the id of the account, which may be gone. */
  hidden_at: Instant | null;
  hidden_by: string | null;
  /**
   * 1 when it can be picked: playable somewhere as it is or by an encoding of it, there, not hidden, and its root active
   * and there. Derived, kept by the library alone.
   */
  available: Flag;
  created_at: Instant;
}

export interface TagsTable {
  number: RowNumber;
  id: string;
  name: string;
  /** NFKC, lower case: unique among active tags. */
  name_key: string;
  description: string;
  color: string;
  active: Flag;
  /** The root it came with and leaves with; null for tags that people made. */
  root_number: number | null;
  /** The tag that it was merged into: filters and blocklists that name this one mean that one. */
  merged_into: number | null;
  created_at: Instant;
  /** The name of the person who made it, as it was then; null for channels of folders and imports, and older ones. */
  created_by: string | null;
  /** The name of the person who edited it last; null when nobody has. */
  edited_by: string | null;
}

export interface VideoTagsTable {
  video_number: number;
  tag_number: number;
  /** 1: it came with the video's folder, and does not count as tagged. */
  by_folder: ColumnType<Flag, Flag | undefined, Flag>;
}

export interface PostersTable {
  video_number: number;
  /** Size and time stamp of the file that it was made of: another file needs another poster. */
  size: number;
  modified_us: number;
  /** Names the poster by its content; null when there can be none. */
  content: string | null;
  /** Why there is none, in words for an admin. */
  reason: string | null;
  made_at: Instant;
}
