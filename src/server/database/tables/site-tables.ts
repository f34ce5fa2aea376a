import type { ActivityKind } from '#contract/entities/site.ts';
import type { Instant, RowNumber } from './column-types.ts';

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

export interface SiteTables {
  secrets: SecretsTable;
  settings: SettingsTable;
  revisions: RevisionsTable;
  activities: ActivitiesTable;
  setting_changes: SettingChangesTable;
  migrations: MigrationsTable;
}
