import type { ColumnType, Kysely, Transaction } from 'kysely';

/** Epoch milliseconds, UTC. */
type Instant = number;
/** 0 or 1: neither database's own boolean is the other's. */
export type Flag = 0 | 1;
/** Given out by the database, never reused, never written. */
type RowNumber = ColumnType<number, never, never>;

interface SecretsTable {
  name: string;
  value: string;
  created_at: Instant;
}

interface SettingsTable {
  name: string;
  /** JSON. */
  value: string;
  updated_at: Instant;
}

/** Counters that tell clients what to load again. */
interface RevisionsTable {
  name: string;
  value: number;
}

interface LibraryRootsTable {
  number: RowNumber;
  /** First segment of a path when several roots are active. */
  name: string;
  folder: string;
  kind: 'folder' | 'demo';
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
  /** Relative to its root, as `library-path.ts` writes names down. */
  path: string;
  filename: string;
  size: number;
  /** The file's own time stamp, epoch microseconds: with the size, it tells a replaced file. */
  modified_us: number;
  /** The file's own number in its file system, brought below 2^53; tells two files of equal size and time stamp that changed names. */
  inode: number | null;
  /** `media/fingerprint.ts`: by it a file is recognized that was moved or renamed. Null when it could not be read. */
  fingerprint: string | null;
  container: string | null;
  video_codec: string | null;
  audio_codec: string | null;
  duration_ms: number | null;
  width: number | null;
  height: number | null;
  /** Why its bytes cannot be played (a key of `media/unplayable.ts`); null when they can. */
  reason: string | null;
  /** Since when the file is gone; null while it is there. Rows stay: tags and ids survive an unplugged disk. */
  missing_since: Instant | null;
  /** 1 when it can be picked: playable, there, and its root active and there. Derived, kept by the library alone. */
  available: Flag;
  created_at: Instant;
}

interface TagsTable {
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
  created_at: Instant;
}

interface VideoTagsTable {
  video_number: number;
  tag_number: number;
}

/** What a change does to a set. */
export type SetOperation = 'add' | 'remove' | 'replace';

/** Sets of video numbers as they were at some moment. */
interface IdSetsTable {
  key: string;
  /** The last change that it holds. */
  seq: number;
  cardinality: number;
  bits: Buffer;
}

interface SetChangesTable {
  seq: number;
  key: string;
  op: SetOperation;
  bits: Buffer;
}

/** One row: the number of the last change, that of the last one which is no longer kept, and whether the sets were ever built. */
interface SetCounterTable {
  seq: number;
  kept_seq: number;
  built: Flag;
}

export interface JobsTable {
  id: string;
  kind: string;
  /** What it is about: one job of a kind is queued or running for a subject, never two. */
  subject: string;
  /** Kind and subject while it is queued or running, null once it ended. Unique. */
  active_key: string | null;
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** Which of the runner's lanes it runs in. */
  lane: string;
  /** Lower goes first. */
  priority: number;
  /** Not before. */
  run_at: Instant;
  /** Names one claim; whoever holds another one has lost the job. */
  lease: string | null;
  lease_until: Instant | null;
  /** The node that runs it or ran it last; for people. */
  leased_by: string | null;
  attempts: number;
  attempts_max: number;
  /** 0 to 100. */
  progress: number;
  /** Why it failed, or why its last attempt did, in words for an admin. */
  error: string | null;
  video_number: number | null;
  /** JSON. */
  payload: string;
  created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
}

interface PostersTable {
  video_number: number;
  /** Size and time stamp of the file that it was made of: another file needs another poster. */
  size: number;
  modified_us: number;
  /** Names the picture by its content; null when there can be none. */
  content: string | null;
  /** Why there is none, in words for an admin. */
  reason: string | null;
  made_at: Instant;
}

interface MigrationsTable {
  name: string;
  applied_at: Instant;
}

export interface Tables {
  secrets: SecretsTable;
  settings: SettingsTable;
  revisions: RevisionsTable;
  library_roots: LibraryRootsTable;
  videos: VideosTable;
  tags: TagsTable;
  video_tags: VideoTagsTable;
  id_sets: IdSetsTable;
  set_changes: SetChangesTable;
  set_counter: SetCounterTable;
  jobs: JobsTable;
  posters: PostersTable;
  migrations: MigrationsTable;
}

/** What a repository's function is given: the reader, or the transaction it is part of. */
export type Executor = Kysely<Tables> | Transaction<Tables>;
