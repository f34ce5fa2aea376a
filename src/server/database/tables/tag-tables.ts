import type { TagChangeKind, TagChangeState } from '#contract/rules/tag.ts';
import type { Flag, Instant, RowNumber } from './column-types.ts';

/** Alternative names by which a tag is found. No active tag has one of them as its own name. */
interface TagAliasesTable {
  /** The name in NFKC and lower case, as in `tags`. */
  name_key: string;
  name: string;
  tag_number: number;
  created_at: Instant;
}

/** Changes to tags, which can be undone for a while. */
interface TagChangesTable {
  number: RowNumber;
  id: string;
  kind: TagChangeKind;
  state: TagChangeState;
  /** The name of the tag, or of the file, at that time. */
  subject: string;
  /** The name of the tag that it was merged into. */
  detail: string | null;
  /** The name of the person who made the change, at that time. */
  made_by: string | null;
  created_at: Instant;
  finished_at: Instant | null;
  /** The numbers of affected tags and links. */
  tags: number;
  links: number;
  /** The reason for the failure, in words for an admin. */
  error: string | null;
}

/** The tags that a change removed, merged into another or created. */
interface TagChangeTagsTable {
  change_number: number;
  tag_number: number;
}

/** Links that a change adds: `planned` until they are made, `added` if they were new. */
interface TagChangeLinksTable {
  change_number: number;
  tag_number: number;
  video_number: number;
  state: 'planned' | 'added';
}

/** The edited texts of a video before and after a change of its details; null: not edited. */
interface VideoDetailChangesTable {
  change_number: number;
  video_number: number;
  old_title: string | null;
  old_description: string | null;
  new_title: string | null;
  new_description: string | null;
}

/** The channels of the first-level folders below the roots. */
interface FolderChannelsTable {
  number: RowNumber;
  root_number: number;
  /** The folder name, in the notation of `library-files.ts`. */
  folder: string;
  /** Null before the folder has a tag, and after its tag was deleted for good. */
  tag_number: number | null;
  /**
   * The name that the folder gave the tag; null after somebody changed it, or if the folder joined
   * an existing tag.
   */
  given_name: string | null;
  /** 1: somebody removed the channel, and it is not made again. */
  removed: Flag;
  created_at: Instant;
}

/** Links by a folder that somebody removed and that are not made again. */
interface RemovedFolderLinksTable {
  video_number: number;
  folder_channel_number: number;
}

export interface TagTables {
  tag_aliases: TagAliasesTable;
  tag_changes: TagChangesTable;
  tag_change_tags: TagChangeTagsTable;
  tag_change_links: TagChangeLinksTable;
  video_detail_changes: VideoDetailChangesTable;
  folder_channels: FolderChannelsTable;
  removed_folder_links: RemovedFolderLinksTable;
}
