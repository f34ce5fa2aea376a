import type { ColumnDataType, ColumnDefinitionBuilder, Expression, Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { DatabaseDamaged } from './damage.ts';

/** All in which the two databases differ. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgres';
  /** A primary key that counts up and never comes back. */
  rowNumber(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
  /** Text that is compared byte by byte: ids, keys, paths. */
  readonly key: ColumnDataType | RawBuilder<string>;
  /** 64 bits: instants, sizes. */
  readonly big: ColumnDataType;
  readonly flag: ColumnDataType;
  /** Plain bytes. */
  readonly bytes: ColumnDataType;
  /** Keeps every other migrating process waiting until this transaction ends. */
  holdMigrations(transaction: Kysely<unknown>): Promise<void>;
  /** Keeps everybody else who writes the index of names waiting until this transaction ends. */
  holdNameIndex(transaction: Kysely<unknown>): Promise<void>;
  /** Stands in an insert that brings row numbers along. */
  readonly withRowNumbers: RawBuilder<unknown>;
  /** The last row number that a table has given out, as `last`; null or no row: none. */
  lastRowNumber(table: string): RawBuilder<{ last: number | null }>;
  /** Has the table go on after a number; rows that are there have lower ones. */
  setLastRowNumber(table: string, last: number): RawBuilder<unknown>[];
  /** Ends a selection of rows to be taken: what somebody else is taking at this moment is passed over. */
  readonly skipLocked: RawBuilder<unknown>;
  /** True for a write that found another process writing: nothing has happened, and it may be tried again. */
  isBusy(error: unknown): boolean;
  /** True when the error says that the database cannot be reached at the moment. */
  isUnreachable(error: unknown): boolean;
  /** True for a row that the schema's unique indexes refuse. */
  isConflict(error: unknown): boolean;
}

const migrationsLock = 4_400_001;
const nameIndexLock = 4_400_002;

export const sqliteDialect: Dialect = {
  kind: 'sqlite',
  rowNumber: (column) => column.primaryKey().autoIncrement(),
  key: 'text',
  big: 'integer',
  flag: 'integer',
  bytes: 'blob',
  // A write transaction begins with `begin immediate`: the file itself is the lock.
  holdMigrations: async () => {},
  holdNameIndex: async () => {},
  withRowNumbers: sql``,
  lastRowNumber: (table) => sql`select seq as last from sqlite_sequence where name = ${table}`,
  setLastRowNumber: (table, last) => [
    sql`delete from sqlite_sequence where name = ${table}`,
    sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`,
  ],
  // One writer at a time: nobody else can be taking anything.
  skipLocked: sql``,
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
    await sql`select pg_advisory_xact_lock(${migrationsLock})`.execute(transaction);
  },
  holdNameIndex: async (transaction) => {
    await sql`select pg_advisory_xact_lock(${nameIndexLock})`.execute(transaction);
  },
  withRowNumbers: sql`overriding system value`,
  lastRowNumber: (table) =>
    sql`select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'number')::regclass) as last`,
  setLastRowNumber: (table, last) => [sql`select setval(pg_get_serial_sequence(${table}, 'number'), ${last})`],
  skipLocked: sql`for update skip locked`,
  isBusy: (error) => codeOf(error) === '55P03' || codeOf(error) === '40001' || codeOf(error) === '40P01',
  // Class 08 and 57P0x are PostgreSQL's words for a lost connection, the rest the network's.
  isUnreachable: (error) =>
    /^(08|57P0|53300|ECONN|ENOTFOUND|ETIMEDOUT|EPIPE)/.test(codeOf(error)) || isLostConnection(error),
  isConflict: (error) => codeOf(error) === '23505',
};

/** True when the database of either kind cannot be reached or used at the moment. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseDamaged || sqliteDialect.isUnreachable(error) || postgresDialect.isUnreachable(error);
}

/** True when the database of either kind has no room left on its disk. */
export function isDatabaseFull(error: unknown): boolean {
  return /^(SQLITE_FULL|53100)$/.test(codeOf(error));
}

/** True when the database of either kind may only be read. */
export function isReadOnly(error: unknown): boolean {
  return /^(SQLITE_READONLY|25006$)/.test(codeOf(error));
}

/** True for a text that PostgreSQL has no place for: one with a NUL in it. */
export function isUnstorableText(error: unknown): boolean {
  return codeOf(error) === '22021' || codeOf(error) === '22P05';
}

/** Most ids in one `in (…)`: both databases have a limit on parameters. */
export const inListLength = 500;

/** `count(*)` as a number on both. */
export function countAll(): Expression<number> & RawBuilder<number> {
  return sql<number>`count(*)`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The words are those of pg and Kysely, which give these errors no code. */
const lostConnection =
  /timeout exceeded when trying to connect|Connection terminated|is not queryable|connection has been discarded/;

/** Also one that could not be made, whatever the network or the socket's folder said. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    lostConnection.test(error.message) ||
    ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo'))
  );
}
