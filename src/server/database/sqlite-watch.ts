import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import type { CompiledQuery as Compiled, DatabaseConnection } from 'kysely';
import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import { repeat } from '../repeat.ts';
import type { CheckpointOrder } from './checkpoint-worker.ts';
import type { DatabaseDamaged } from './damage.ts';
import { describeBroken, describeMoved } from './damage.ts';
import { isDamage, writeRollbackGuard } from './sqlite-file.ts';

/** Monitors an open database file. */
interface SqliteWatch {
  /** @throws DatabaseDamaged if the file is damaged, or is no longer the one that was opened */
  assertSound(): void;
  /** Takes note of the error of a statement. */
  note(error: unknown): void;
  stop(): void;
}

/** Commits between two of these may be lost with the WAL without being noticed. */
const guardEveryMs = 60_000;

interface SqliteWatchListener {
  /** Called once, with the first damage. */
  onDamage(damage: DatabaseDamaged): void;
  onFault?: ((error: unknown) => void) | undefined;
}

export function watchSqlite(
  database: Sqlite.Database,
  file: string,
  { onDamage, onFault }: SqliteWatchListener,
): SqliteWatch {
  const opened = identify(file);
  const written = () => Number(database.prepare('select total_changes()').pluck().get());
  let guardedAt = written();
  let damage: DatabaseDamaged | null = null;
  let isReported = false;

  function reportOnce(found: DatabaseDamaged): DatabaseDamaged {
    if (!isReported) onDamage(found);
    isReported = true;
    return found;
  }

  function writeGuard(): void {
    if (database.inTransaction || damage !== null || identify(file) !== opened || written() === guardedAt) return;
    try {
      writeRollbackGuard(database, file);
      guardedAt = written();
    } catch (error) {
      note(error);
    }
  }

  function note(error: unknown): void {
    if (isDamage(error)) damage ??= reportOnce(describeBroken(file, (error as Error).message));
  }

  const guarding = repeat(writeGuard, guardEveryMs, onFault);
  return {
    assertSound() {
      if (damage !== null) throw damage;
      if (identify(file) !== opened) throw reportOnce(describeMoved(file));
    },
    note,
    stop: guarding.stop,
  };
}

/** Identifies the database file and its log, which holds the latest commits. */
function identify(file: string): string {
  return [file, `${file}-wal`].map(identityOf).join();
}

/** A folder without permissions, or a loop of links, hides the file as if it were gone. */
function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return 'gone';
  }
}

/** Keeps SQLite's log (WAL) short. */
interface SqliteCheckpoints {
  stop(): Promise<void>;
}

const lookEveryMs = 500;
const shortLogBytes = 4 * 1_048_576;
/** A thread takes about 25 MB of memory, and a twentieth of a second to start. */
export const checkpointThreadIdleMs = 3_000;
/** One minute: the reason for a thread's failure rarely passes at once. */
const looksAfterDeath = 120;
/** 256 MiB of log: if the thread cannot keep up, a commit runs the checkpoint. */
const lastResortPages = 65_536;

/** Turns off checkpoints within commits, since `scheduleCheckpoints` runs them. */
export function deferCheckpoints(database: Sqlite.Database): void {
  database.pragma(`wal_autocheckpoint = ${lastResortPages}`);
}

/**
 * Moves committed pages from the log into the database file in a thread. SQLite would do it within
 * a commit, and the whole process would wait for the disk, for hundreds of milliseconds if it is
 * busy. The thread runs while the log is long. One connection is enough, as all share the log.
 */
export function scheduleCheckpoints(
  database: Sqlite.Database,
  file: string,
  onFault?: (error: unknown) => void,
): SqliteCheckpoints {
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let looksToSkip = 0;

  function look(): void {
    const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    looksToSkip = Math.max(0, looksToSkip - 1);
    if (bytes < shortLogBytes || looksToSkip > 0 || countUnmovedBytes(database) < shortLogBytes) return;
    thread ??= startThread();
    thread.postMessage('checkpoint' satisfies CheckpointOrder);
    clearTimeout(idle);
    idle = setTimeout(() => thread?.postMessage('end' satisfies CheckpointOrder), checkpointThreadIdleMs).unref();
  }

  function startThread(): Worker {
    const worker = new Worker(new URL('checkpoint-worker.ts', import.meta.url), { workerData: file });
    const end = () => {
      thread = null;
    };
    worker.once('exit', end).on('error', (error) => {
      looksToSkip = looksAfterDeath;
      onFault?.(error);
    });
    worker.unref();
    return worker;
  }

  const looking = repeat(look, lookEveryMs, onFault);
  return {
    async stop() {
      looking.stop();
      clearTimeout(idle);
      if (thread === null) return;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      thread.once('exit', () => resolve());
      thread.ref();
      // The thread ends itself: terminating it while it loads the driver would end the process.
      thread.postMessage('end' satisfies CheckpointOrder);
      await ended;
    },
  };
}

/** The log keeps its file size when it is reused: the size does not tell what is to be moved. */
function countUnmovedBytes(database: Sqlite.Database): number {
  // SQLite does not answer within a transaction; the next check asks again.
  if (database.inTransaction) return 0;
  const [{ log, checkpointed }] = database.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
  return (log - checkpointed) * Number(database.pragma('page_size', { simple: true }));
}

interface WatchedConfig {
  database: Sqlite.Database;
  /** Receives the errors of statements. */
  onError: (error: unknown) => void;
}

export class WatchedSqliteDialect extends SqliteDialect {
  readonly #config: WatchedConfig;

  constructor(config: WatchedConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): SqliteDriver {
    return new WatchedSqliteDriver(this.#config);
  }
}

class WatchedSqliteDriver extends SqliteDriver {
  readonly #config: WatchedConfig;
  #connection: DatabaseConnection | undefined;

  constructor(config: WatchedConfig) {
    super(config);
    this.#config = config;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= keepStatements(await super.acquireConnection(), this.#config);
    return this.#connection;
  }

  /**
   * Begins as a writer: a deferred transaction that becomes a writer later can be refused then,
   * whereas `begin immediate` is refused at the start or not at all.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** A full disk or a damaged page has ended the transaction; a rollback would hide the error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#config.database.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Each takes some kilobytes. */
const maxKeptStatements = 256;
/** A longer text has a place for each of many values, and hardly ever comes again. */
const maxKeptCharacters = 4_000;

/**
 * A connection that keeps its prepared statements, those used last: preparing one takes several
 * times as long as finding a row by its key. SQLite prepares them anew when the schema changes.
 */
function keepStatements(connection: DatabaseConnection, { database, onError }: WatchedConfig): DatabaseConnection {
  const kept = new Map<string, Sqlite.Statement>();
  const prepare = (text: string): Sqlite.Statement => {
    const statement = kept.get(text) ?? database.prepare(text);
    kept.delete(text);
    if (text.length <= maxKeptCharacters) kept.set(text, statement);
    const [oldest] = kept.keys();
    if (kept.size > maxKeptStatements && oldest !== undefined) kept.delete(oldest);
    return statement;
  };
  return {
    streamQuery: connection.streamQuery.bind(connection),
    async executeQuery<Row>({ sql, parameters }: Compiled) {
      try {
        const statement = prepare(sql);
        if (statement.reader) return { rows: statement.all(parameters) as Row[] };
        const { changes, lastInsertRowid } = statement.run(parameters);
        return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
      } catch (error) {
        onError(error);
        throw error;
      }
    },
  };
}
