import type { Kysely, Transaction } from 'kysely';
import type { AccountTables } from './tables/account-tables.ts';
import type {
  EncodingDemandTable,
  EncodingsTable,
  MediaFindingsTable,
  StoryboardsTable,
  SubtitlesBesideTable,
  SubtitlesTable,
} from './tables/encoding-tables.ts';
import type { JobsTable } from './tables/job-tables.ts';
import type {
  LibraryRootsTable,
  PostersTable,
  TagsTable,
  VideosTable,
  VideoTagsTable,
} from './tables/library-tables.ts';
import type {
  BandwidthStatsTable,
  NetworkStatsTable,
  PerformanceAlertsTable,
  PlaybackStatsTable,
  VideoStatsTable,
} from './tables/performance-tables.ts';
import type { NameGramsTable, UnindexedNamesTable } from './tables/search-tables.ts';
import type { IdSetsTable, SetChangesTable, SetCounterTable } from './tables/set-tables.ts';
import type {
  ActivitiesTable,
  MigrationsTable,
  RevisionsTable,
  SecretsTable,
  SettingsTable,
} from './tables/site-tables.ts';
import type {
  FolderChannelsTable,
  RemovedFolderLinksTable,
  TagAliasesTable,
  TagChangeLinksTable,
  TagChangesTable,
  TagChangeTagsTable,
} from './tables/tag-tables.ts';
import type { RemovedUploadsTable, UploadFilesTable, UploadSessionsTable } from './tables/upload-tables.ts';

export interface Tables extends AccountTables {
  secrets: SecretsTable;
  settings: SettingsTable;
  revisions: RevisionsTable;
  library_roots: LibraryRootsTable;
  videos: VideosTable;
  tags: TagsTable;
  video_tags: VideoTagsTable;
  tag_aliases: TagAliasesTable;
  tag_changes: TagChangesTable;
  tag_change_tags: TagChangeTagsTable;
  tag_change_links: TagChangeLinksTable;
  folder_channels: FolderChannelsTable;
  removed_folder_links: RemovedFolderLinksTable;
  upload_sessions: UploadSessionsTable;
  upload_files: UploadFilesTable;
  removed_uploads: RemovedUploadsTable;
  playback_stats: PlaybackStatsTable;
  bandwidth_stats: BandwidthStatsTable;
  network_stats: NetworkStatsTable;
  performance_alerts: PerformanceAlertsTable;
  video_stats: VideoStatsTable;
  id_sets: IdSetsTable;
  set_changes: SetChangesTable;
  set_counter: SetCounterTable;
  jobs: JobsTable;
  posters: PostersTable;
  encodings: EncodingsTable;
  storyboards: StoryboardsTable;
  subtitles: SubtitlesTable;
  subtitles_beside: SubtitlesBesideTable;
  media_findings: MediaFindingsTable;
  encoding_demand: EncodingDemandTable;
  activities: ActivitiesTable;
  name_grams: NameGramsTable;
  unindexed_names: UnindexedNamesTable;
  migrations: MigrationsTable;
}

/** The reader, or the transaction that a repository's function is part of. */
export type Executor = Kysely<Tables> | Transaction<Tables>;
