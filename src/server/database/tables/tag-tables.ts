import type { TagChangeKind, TagChangeState } from '#contract/rules/tag.ts';
import type { Flag, Instant, RowNumber } from './column-types.ts';

/** Other names that a tag is found by. No active tag has one of them. */
export interface TagAliasesTable {
  /** As in `tags`. */
  name_key: string;
  name: string;
  tag_number: number;
  created_at: Instant;
}

/** What somebody did to tags and can be undone for a while. */
export interface TagChangesTable {
  number: RowNumber;
  id: string;
  kind: TagChangeKind;
  state: TagChangeState;
  /** The name of the tag as it was then, or of the file. */
  subject: string;
  /** The name of the tag that it was merged into. */
  detail: string | null;
  /** The name of who did it, as it was then. */
  made_by: string | null;
  created_at: Instant;
  finished_at: Instant | null;
  /** How many tags and links it concerns. */
  tags: number;
  links: number;
  /** Why it failed, in words for an admin. */
  error: string | null;
}

/** The tags that a change removed, merged away or created. */
export interface TagChangeTagsTable {
  change_number: number;
  tag_number: number;
}

/** Links that a change adds: planned until they are made, `added` when they were not there before. */
export interface TagChangeLinksTable {
  change_number: number;
  tag_number: number;
  video_number: number;
  state: 'planned' | 'added';
}

/** What became of the first folders below the roots. */
export interface FolderChannelsTable {
  number: RowNumber;
  root_number: number;
  /** As `library-files.ts` writes names down. */
  folder: string;
  /** Null before it has one, and when its tag is gone for good. */
  tag_number: number | null;
  /** The name that the tag was given by the folder; null once somebody changed it, or when the folder joined a tag. */
  given_name: string | null;
  /** 1: somebody removed the channel, and it does not come back. */
  removed: Flag;
  created_at: Instant;
}

/** Links by a folder that somebody removed and that do not come back. */
export interface RemovedFolderLinksTable {
  video_number: number;
  folder_channel_number: number;
}
