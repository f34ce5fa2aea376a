import type { ActivityKind } from '#contract/entities/site.ts';
import type { Flag, Instant, RowNumber } from './column-types.ts';

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

/** A log of activities, with names as they were at the time. */
interface ActivitiesTable {
  number: RowNumber;
  at: Instant;
  /** Null: the site itself. */
  actor: string | null;
  kind: ActivityKind;
  subject: string | null;
  detail: string | null;
}

/** A change of settings that can be undone. Both texts are JSON: the stored rows by name, or null. */
interface SettingChangesTable {
  activity_number: number;
  before: string;
  after: string;
  changed_at: Instant;
  undone_at: Instant | null;
}

/** Counters that tell clients to load data again. */
interface RevisionsTable {
  name: string;
  value: number;
}

interface MigrationsTable {
  name: string;
  applied_at: Instant;
}

interface JobsTable {
  id: string;
  kind: string;
  /** The subject of the job: at most one job of a kind is queued or running for it. */
  subject: string;
  /** Kind and subject while it is queued or running, null after it has ended. Unique. */
  active_key: string | null;
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** The runner's lane for this job. */
  lane: string;
  /** Jobs with lower numbers run first. */
  priority: number;
  /** The earliest time to run it. */
  run_at: Instant;
  /** Identifies one claim; a runner with another lease has lost the job. */
  lease: string | null;
  lease_until: Instant | null;
  /** The node that runs it or ran it last; for people. */
  leased_by: string | null;
  attempts: number;
  attempts_max: number;
  /** Percent, 0 to 100. */
  progress: number;
  /** The error of the job or of its last attempt, in words for an admin. */
  error: string | null;
  video_number: number | null;
  /** JSON. */
  payload: string;
  created_at: Instant;
  started_at: Instant | null;
  finished_at: Instant | null;
}

/** The servers that share the database; their instants are those of the database's clock. */
interface NodesTable {
  id: string;
  /** For people: host and port. */
  name: string;
  machine: string;
  /** Tells whether the process still runs, to whoever is on the same machine. */
  process: string;
  role: 'all' | 'web' | 'jobs';
  version: string;
  state: 'starting' | 'ready' | 'draining';
  /** 1: it was asked to leave. */
  drain: Flag;
  /** The number of the folder that holds its files. */
  files: string;
  /** The place of its store; empty without one. */
  storage: string;
  /** The folders and stores of its library, a line each; null if it serves no folders. */
  library: string | null;
  tls_local: Flag;
  /** JSON: the kinds of jobs that it runs. */
  kinds: string;
  /** JSON: the folders of the library that it cannot read, or that are empty there. */
  away: string;
  /** When its players last reported a stall. */
  stalled_at: Instant | null;
  started_at: Instant;
  seen_at: Instant;
}

/** A lease makes one node at a time do something for the site. */
interface LeasesTable {
  name: string;
  /** The id of the node. */
  owner: string;
  until: Instant;
}

export interface SiteTables {
  nodes: NodesTable;
  leases: LeasesTable;
  jobs: JobsTable;
  secrets: SecretsTable;
  settings: SettingsTable;
  revisions: RevisionsTable;
  activities: ActivitiesTable;
  setting_changes: SettingChangesTable;
  migrations: MigrationsTable;
}
