import type { ActivityKind } from '#contract/entities/site.ts';
import type { Instant, RowNumber } from './column-types.ts';

export interface SecretsTable {
  name: string;
  value: string;
  created_at: Instant;
}

export interface SettingsTable {
  name: string;
  /** JSON. */
  value: string;
  updated_at: Instant;
}

/** A log of activities, with names as they were at the time. */
export interface ActivitiesTable {
  number: RowNumber;
  at: Instant;
  /** Null: the site itself. */
  actor: string | null;
  kind: ActivityKind;
  subject: string | null;
  detail: string | null;
}

/** Counters that tell clients to load data again. */
export interface RevisionsTable {
  name: string;
  value: number;
}

export interface MigrationsTable {
  name: string;
  applied_at: Instant;
}
