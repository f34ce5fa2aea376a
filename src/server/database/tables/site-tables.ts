import type { Instant } from './column-types.ts';

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

/** Counters that tell clients what to load again. */
export interface RevisionsTable {
  name: string;
  value: number;
}

export interface MigrationsTable {
  name: string;
  applied_at: Instant;
}
