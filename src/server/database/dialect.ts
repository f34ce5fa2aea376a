import type { ColumnDataType, ColumnDefinitionBuilder, Expression, Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { DatabaseDamaged } from './damage.ts';
import type { Executor } from './tables.ts';

/** All differences between the two databases. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgres';
  /** An auto-incrementing primary key whose values are never reused. */
  rowNumber(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** The type of text that is compared byte by byte: ids, keys, paths. */
  readonly key: ColumnDataType | RawBuilder<string>;
  /** A 64-bit integer: instants, sizes. */
  readonly big: ColumnDataType;
  readonly flag: ColumnDataType;
  /** The type of binary data. */
  readonly bytes: ColumnDataType;
  /** Locks migrations against all other processes until this transaction ends. */
  holdMigrations(transaction: Kysely<unknown>): Promise<void>;
  /** Locks the index of names against all other writers until this transaction ends. */
  holdNameIndex(transaction: Kysely<unknown>): Promise<void>;
  /**
   * Locks the log of the id sets until this transaction ends.
   * @param beside only against those with the same key and those without one; null: against all
   */
  holdSetLog(transaction: Executor, beside: string | null): Promise<void>;
  /** A clause for an insert that sets row numbers explicitly. */
  readonly withRowNumbers: RawBuilder<unknown>;
  /**
   * Whether a column contains a text, in which capitals of no script count.
   * @param key the text as `nameKey` returns it
   */
  containsName(column: string, key: string): RawBuilder<boolean>;
  /** Selects the last row number that a table has assigned, as `last`; null or no row: none. */
  lastRowNumber(table: string): RawBuilder<{ last: number | null }>;
  /** Makes a table continue after a number; existing rows have lower ones. */
  setLastRowNumber(table: string, last: number): RawBuilder<unknown>[];
  /** Ends a selection of rows to claim: rows that another process is claiming are skipped. */
  readonly skipLocked: RawBuilder<unknown>;
  /** The time by the database's clock, in epoch milliseconds: the same for all nodes. */
  readonly now: RawBuilder<number>;
  /** True for a write that another process blocked: nothing was changed, it may be retried. */
  isBusy(error: unknown): boolean;
  /** True if the error says that the database cannot be reached at the moment. */
  isUnreachable(error: unknown): boolean;
  /** True for a row that the schema's unique indexes refuse. */
  isConflict(error: unknown): boolean;
}

const migrationsLock = 4_400_001;
const nameIndexLock = 4_400_002;
const setLogLock = 4_400_003;

export const sqliteDialect: Dialect = {
  kind: 'sqlite',
  rowNumber: (column) => column.primaryKey().autoIncrement(),
  key: 'text',
  big: 'integer',
  flag: 'integer',
  bytes: 'blob',
  // A write transaction begins with `begin immediate`, which locks the whole file.
  holdMigrations: async () => {},
  holdNameIndex: async () => {},
  holdSetLog: async () => {},
  withRowNumbers: sql``,
  containsName: (column, key) => {
    const pattern = `%${key.replaceAll(/[\\%_]/g, '\\$&')}%`;
    return sql`name_key(${sql.ref(column)}) like ${pattern} escape '\\'`;
  },
  lastRowNumber: (table) => sql`select seq as last from sqlite_sequence where name = ${table}`,
  setLastRowNumber: (table, last) => [
    sql`delete from sqlite_sequence where name = ${table}`,
    sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`,
  ],
  // There is only one writer at a time, so no row can be claimed by another process.
  skipLocked: sql``,
  now: sql`cast(unixepoch('now', 'subsec') * 1000 as integer)`,
  isBusy: (error) => codeOf(error).startsWith('SQLITE_BUSY'),
  isUnreachable: (error) => /^SQLITE_(CANTOPEN|IOERR|FULL|READONLY|CORRUPT|NOTADB)/.test(codeOf(error)),
  isConflict: (error) => /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(codeOf(error)),
};

export const postgresDialect: Dialect = {
  kind: 'postgres',
  rowNumber: (column) => column.primaryKey().generatedAlwaysAsIdentity(),
  key: sql`text collate "C"`,
  big: 'bigint',
  flag: 'smallint',
  bytes: 'bytea',
  holdMigrations: async (transaction) => {
    // A migration of a large library may take long.
    await sql`set local statement_timeout = 0`.execute(transaction);
    await sql`select pg_advisory_xact_lock(${migrationsLock})`.execute(transaction);
  },
  holdNameIndex: async (transaction) => {
    await sql`select pg_advisory_xact_lock(${nameIndexLock})`.execute(transaction);
  },
  holdSetLog: async (transaction, beside) => {
    const statement =
      beside === null
        ? // Whoever records without this lock waits for the row of the counter.
          sql`update set_counter set seq = seq
            where (select pg_advisory_xact_lock(${setLogLock})) is not null`
        : sql`select pg_advisory_xact_lock_shared(${setLogLock}),
            pg_advisory_xact_lock(hashtextextended(${beside}, 0))`;
    await statement.execute(transaction);
  },
  withRowNumbers: sql`overriding system value`,
  // `lower` and `ilike` change ASCII letters alone where the locale of the database is C.
  containsName: (column, key) => sql`${sql.ref(column)} ~ ${Array.from(key, eitherCase).join('')}`,
  lastRowNumber: (table) =>
    sql`select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'number')::regclass) as last`,
  setLastRowNumber: (table, last) => [sql`select setval(pg_get_serial_sequence(${table}, 'number'), ${last})`],
  skipLocked: sql`for update skip locked`,
  now: sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  isBusy: (error) => codeOf(error) === '55P03' || codeOf(error) === '40001' || codeOf(error) === '40P01',
  // Classes 08 and 57P0x are PostgreSQL's codes for a lost connection, the others the network's.
  isUnreachable: (error) =>
    /^(08|57P0|53300|ECONN|ENOTFOUND|ETIMEDOUT|EPIPE)/.test(codeOf(error)) || isLostConnection(error),
  isConflict: (error) => codeOf(error) === '23505',
};

/** A regular expression of PostgreSQL for a character in either case. */
function eitherCase(character: string): string {
  const cases = new Set([character, character.toUpperCase(), character.toLowerCase()]);
  return `(?:${Array.from(cases, (text) => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')).join('|')})`;
}

/** True when the database of either kind cannot be reached or used, or is read-only, at the moment. */
export function isDatabaseAway(error: unknown): boolean {
  const isUnreachable = sqliteDialect.isUnreachable(error) || postgresDialect.isUnreachable(error);
  return isUnreachable || error instanceof DatabaseDamaged || isReadOnly(error);
}

/** True when the database of either kind has no room left on its disk. */
export function isDatabaseFull(error: unknown): boolean {
  return /^(SQLITE_FULL|53100)$/.test(codeOf(error));
}

/** True when the database of either kind is read-only. */
export function isReadOnly(error: unknown): boolean {
  return /^(SQLITE_READONLY|25006$)/.test(codeOf(error));
}

/** True when the user of PostgreSQL lacks a right: since version 15, to make tables, unless it owns the database. */
export function isRightMissing(error: unknown): boolean {
  return codeOf(error) === '42501';
}

/** True for a text that PostgreSQL cannot store: one that contains NUL. */
export function isUnstorableText(error: unknown): boolean {
  return codeOf(error) === '22021' || codeOf(error) === '22P05';
}

/** The most ids in one `in (…)`: both databases limit the number of parameters. */
export const inListLength = 500;

/** `count(*)` as a number in both databases. */
export function countAll(): Expression<number> & RawBuilder<number> {
  return sql<number>`count(*)`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Messages of pg and Kysely, whose errors for this have no code. */
const lostConnection =
  /timeout exceeded when trying to connect|Connection terminated|is not queryable|connection has been discarded/;

/** Whether a connection was lost or could not be made, whatever the cause. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const call = 'syscall' in error ? error.syscall : '';
  return lostConnection.test(error.message) || call === 'connect' || call === 'getaddrinfo';
}
