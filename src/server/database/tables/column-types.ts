import type { ColumnType } from 'kysely';

/** Epoch milliseconds, UTC. */
export type Instant = number;
/** 0 or 1: neither database's own boolean is the other's. */
export type Flag = 0 | 1;
/** Given out by the database, never reused, never written. */
export type RowNumber = ColumnType<number, never, never>;
