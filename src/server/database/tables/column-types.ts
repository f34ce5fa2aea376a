import type { ColumnType } from 'kysely';

/** Epoch milliseconds, UTC. */
export type Instant = number;
/** 0 or 1: the two databases have different boolean types. */
export type Flag = 0 | 1;
/** Assigned by the database, never reused, never written. */
export type RowNumber = ColumnType<number, never, never>;
