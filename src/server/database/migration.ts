import type { Kysely } from 'kysely';
import type { Dialect } from './dialect.ts';

/**
 * One step from a schema to the next. It never changes after its release, and never removes what
 * the previous version reads: expand in one release, contract in a later one, so that two versions
 * can run side by side.
 */
export interface Migration {
  readonly name: string;
  /** Servers of the previous version cannot run beside it: all of them have to stop first. */
  readonly isBreaking?: true;
  up(transaction: Kysely<unknown>, dialect: Dialect): Promise<void>;
}
