import type { ColumnType } from 'kysely';
import type { TagAudience } from '#contract/rules/tag.ts';
import type { ReportReason } from '#contract/rules/video-details.ts';
import type { Flag, Instant, RowNumber } from './column-types.ts';

interface LibraryRootsTable {
  number: RowNumber;
  /** The first segment of a path if several roots are active. */
  name: string;
  /** The place of a store as people read it, for one that lies there. */
  folder: string;
  kind: 'folder' | 'store' | 'demo' | 'uploads';
  /** 0: its folder is no longer configured, or the demo was removed. */
  active: Flag;
  /** Since when its folder has been unreadable; null while it is readable. */
  missing_since: Instant | null;
  /** The end of its last complete scan. */
  scanned_at: Instant | null;
  created_at: Instant;
}

interface ReportsTable {
  number: RowNumber;
  video_number: number;
  /** Who has reported, as a hash of the account or of the address: one report a video. */
  holder: string;
  /** Null for an address, and for an account that is gone. */
  user_id: string | null;
  reason: ReportReason;
  text: string;
  created_at: Instant;
  /** When it was dismissed, or its video hidden; null while it is open. */
  closed_at: Instant | null;
}

interface FavouritesTable {
  user_id: string;
  /** An id, not a number: an upload that is restored has the same id and is still a favourite. */
  video_id: string;
  added_at: Instant;
}

/** How long videos have been played, over all viewers. */
interface VideoPlaysTable {
  video_number: number;
  played_ms: number;
}

interface VideosTable {
  number: RowNumber;
  id: string;
  root_number: number;
  /** Relative to its root, in the notation of `library-files.ts`. */
  path: string;
  filename: string;
  size: number;
  /** The file's modification time, epoch microseconds: with the size, it shows a replaced file. */
  modified_us: number;
  /** The inode below 2^53; shows that two files of equal size and time swapped names. */
  inode: number | null;
  /** The entity tag by which a store knows it; null on disks. */
  etag: ColumnType<string | null, string | null | undefined, string | null>;
  /** Recognizes a moved or renamed file (`media/file-reading.ts`). Null if it could not be read. */
  fingerprint: string | null;
  /**
   * The SHA-256 of the SHA-256 of its parts of 8 MiB, as a store took them; null if it was not sent
   * to one.
   */
  parts_sum: ColumnType<string | null, string | null | undefined, string | null>;
  container: string | null;
  video_codec: string | null;
  audio_codec: string | null;
  /** Bits per sample of the picture; null if the header does not say. */
  bit_depth: ColumnType<number | null, number | null | undefined, number | null>;
  /** Chroma subsampling, as in `contract/rules/media-needs.ts`; null if the header does not say. */
  chroma: ColumnType<string | null, string | null | undefined, string | null>;
  /** The needs of the source file: `NeedBits` that a device must support to play it. */
  needs: ColumnType<number, number | undefined, number>;
  /** Version of the reader that read the header; the next scan reads older ones again. */
  header_version: ColumnType<number, number | undefined, number>;
  duration_ms: number | null;
  width: number | null;
  height: number | null;
  /** The title that the file or one beside it gives; null if none does (`media/title.ts`). */
  found_title: ColumnType<string | null, string | null | undefined, string | null>;
  found_description: ColumnType<string | null, string | null | undefined, string | null>;
  /** The latest change of the texts beside the file, epoch microseconds; null without any. */
  texts_us: ColumnType<number | null, number | null | undefined, number | null>;
  /** The title that people wrote in its place; null if nobody did. */
  edited_title: ColumnType<string | null, string | null | undefined, string | null>;
  edited_description: ColumnType<string | null, string | null | undefined, string | null>;
  /** When it was recorded; null if nothing says so. */
  recorded_at: ColumnType<Instant | null, Instant | null | undefined, Instant | null>;
  /** The reason why it cannot be played (a key of `media/unplayable.ts`); null if it can. */
  reason: string | null;
  /**
   * Since when the file is gone; null while it exists. Rows stay, so that tags and ids survive an
   * unplugged disk.
   */
  missing_since: Instant | null;
  /** When an administrator hid it, and that account's id; the account may be gone. */
  hidden_at: Instant | null;
  hidden_by: string | null;
  /**
   * 1 if it can be picked: it is playable, as it is or by an encoding, its file exists, it is not
   * hidden, and its root is active and readable. Derived; only the library writes it.
   */
  available: Flag;
  created_at: Instant;
}

interface TagsTable {
  number: RowNumber;
  id: string;
  name: string;
  /** The name in NFKC and lower case: unique among active tags. */
  name_key: string;
  description: string;
  color: string;
  active: Flag;
  /** The root that the tag was added and is removed with; null for tags made by people. */
  root_number: number | null;
  /** The tag that it was merged into, which replaces it in filters and blocklists. */
  merged_into: number | null;
  created_at: Instant;
  /** The creator's name at that time; null for channels of folders and imports, and older ones. */
  created_by: string | null;
  /** The name of its last editor; null if there is none. */
  edited_by: string | null;
  /** Whom the tag and what is only in restricted tags is shown to. */
  audience: ColumnType<TagAudience, TagAudience | undefined, TagAudience>;
}

interface VideoTagsTable {
  video_number: number;
  tag_number: number;
  /** 1: the link comes from the video's folder, and does not count as tagged. */
  by_folder: ColumnType<Flag, Flag | undefined, Flag>;
}

interface PostersTable {
  video_number: number;
  /** Size and time stamp of the source file: another file needs another poster. */
  size: number;
  modified_us: number;
  /** A file name derived from the content; null if no poster can be made. */
  content: string | null;
  /** The reason why there is none, in words for an admin. */
  reason: string | null;
  made_at: Instant;
}

/** The values by which one version of a file is compared with others; null: not looked at. */
interface VideoPrintsTable {
  video_number: number;
  size: number;
  modified_us: number;
  /** SHA-256 of the whole file, hexadecimal. */
  content: string | null;
  /** The poster that `still` describes. */
  poster: string | null;
  /** A hash of that picture, on which similar pictures agree; null if it shows too little. */
  still: string | null;
}

/** Videos that equal another one or look like it. */
interface DuplicatesTable {
  video_number: number;
  /** The number of the video that the others of the group are like. */
  group_number: number;
  /** The search that has found it last. */
  search: string;
  /** 1: an administrator has looked at it and keeps it beside the others. */
  kept: ColumnType<Flag, Flag | undefined, Flag>;
}

/** The videos of a block of 65,536 numbers whose file names contain a part of a name. */
interface NameGramsTable {
  /** A part of a name, see `features/search/name-grams.ts`. */
  gram: string;
  /** The upper 16 bits of the videos' numbers. */
  block: number;
  /** The number of these videos. */
  count: number;
  /** Their full numbers, in the format of `id-sets/bits.ts`. */
  bits: Buffer;
}

/** New or changed file names that are not in the index yet. A video may have several rows. */
interface UnindexedNamesTable {
  number: RowNumber;
  video_number: number;
  /** The previous name; null for a new video. */
  was: ColumnType<string | null, string | null | undefined, never>;
}

export interface LibraryTables {
  duplicates: DuplicatesTable;
  video_prints: VideoPrintsTable;
  favourites: FavouritesTable;
  reports: ReportsTable;
  video_plays: VideoPlaysTable;
  library_roots: LibraryRootsTable;
  videos: VideosTable;
  tags: TagsTable;
  video_tags: VideoTagsTable;
  posters: PostersTable;
  name_grams: NameGramsTable;
  unindexed_names: UnindexedNamesTable;
}
