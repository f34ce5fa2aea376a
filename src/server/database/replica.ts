import { AsyncLocalStorage } from 'node:async_hooks';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult, RawBuilder } from 'kysely';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { connectPatienceMs, OwnPostgresDialect, openPool } from './postgres-dialect.ts';
import type { Tables } from './tables.ts';

/** A replica is asked while it lacks nothing older than this, in milliseconds. */
const mostBehindMs = 5_000;
/** How long a browser that has written reads from the primary: longer than a replica may lack it. */
export const ownWritesSeconds = 7;
const lookEveryMs = 1_000;
/** A look at a replica that stands still compares with positions of this time. */
const positionsKeptMs = 4 * mostBehindMs;
/** Queries that take longer are given up, and the primary answers. */
const replicaPatienceMs = 5_000;

/** A call that is being answered. */
export interface CallWrites {
  /** Its browser, or the call itself, has written a moment ago, and has to see it. */
  readsPrimary: boolean;
  hasWritten: boolean;
}

/** The writes of the call that is being answered, on servers with a replica. */
export const callWrites = new AsyncLocalStorage<CallWrites>();

/** To be called after each transaction. */
export function noteWrite(): void {
  const call = callWrites.getStore();
  if (call !== undefined) Object.assign(call, { readsPrimary: true, hasWritten: true });
}

/** The facts about a replica for monitors and administrators. */
export interface ReplicaFacts {
  /** How far it was behind at the last look, in milliseconds; null: that is not known. */
  behindMs: number | null;
  /** Why it is not asked, in words; null while it is. */
  fault: string | null;
  /** The queries of lists so far, by where they were answered. */
  fromReplica: number;
  fromPrimary: number;
}

interface ListsOptions {
  primary: Kysely<Tables>;
  /** The most connections to the primary, and to a replica. */
  connections: number;
  /** The replica; undefined for none. */
  readUrl: string | undefined;
  clock: Pick<Clock, 'elapsed'>;
}

/** Lists use one of so many connections to the primary: picks and sign-ins never wait for lists. */
const shareOfLists = 2;

/** Answers the queries of lists: a replica that follows closely does, else the primary. */
export class Lists {
  readonly reader: Kysely<Tables>;
  private readonly primary: Kysely<Tables>;
  private readonly replica: Replica | null;
  private readonly counts = { fromReplica: 0, fromPrimary: 0 };
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(options: ListsOptions) {
    const { primary, connections, readUrl } = options;
    this.primary = primary;
    this.free = Math.ceil(connections / shareOfLists);
    this.replica = readUrl === undefined ? null : new Replica({ ...options, url: readUrl });
    this.reader = new Kysely({ dialect: createDialect((query) => this.run(query)) });
  }

  /** The number of queries that wait until other lists have been answered. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Null without a replica. */
  facts(): ReplicaFacts | null {
    return this.replica && { ...this.replica.facts(), ...this.counts };
  }

  async close(): Promise<void> {
    await this.replica?.close();
  }

  private async run(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (this.replica?.isClose() && callWrites.getStore()?.readsPrimary !== true) {
      const result = await this.replica.run(query);
      if (result !== null) {
        this.counts.fromReplica += 1;
        return result;
      }
    }
    this.counts.fromPrimary += 1;
    if (this.free > 0) this.free -= 1;
    else await this.wait();
    try {
      return await this.primary.executeQuery(query);
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  /** @throws the error of the pool when other lists take too long */
  private wait(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      this.waiting.splice(this.waiting.indexOf(begin), 1);
      reject(new Error('timeout exceeded when trying to connect'));
    }, connectPatienceMs);
    this.waiting.push(begin);
    return promise;
  }
}

/** A dialect of PostgreSQL whose queries `run` answers. */
function createDialect(run: (query: CompiledQuery) => Promise<QueryResult<unknown>>): Dialect {
  const refuse = () => Promise.reject(new Error('Lists are read whole, and outside of transactions.'));
  const connection = {
    executeQuery: run,
    streamQuery: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
  } as unknown as DatabaseConnection;
  const nothing = async () => {};
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: nothing,
    destroy: nothing,
  };
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

interface ReplicaOptions extends Omit<ListsOptions, 'readUrl'> {
  url: string;
}

/**
 * A streaming replica. Once a second it is compared with a position of the primary's log: whatever
 * the primary had written when it was asked for a position that the replica has reached, the
 * replica has. No clock of a database is used, and a silent primary is no delay.
 */
export class Replica {
  private readonly options: ReplicaOptions;
  private readonly kysely: Kysely<Tables>;
  /** Positions of the primary, each with the time before it was asked for. */
  private positions: { at: number; position: bigint }[] = [];
  /** The replica has all that was written until this time. */
  private completeUntil = Number.NEGATIVE_INFINITY;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | null = null;
  private behindMs: number | null = null;
  private failure: string | null = null;

  constructor(options: ReplicaOptions) {
    this.options = options;
    const pool = openPool(options.url, options.connections, replicaPatienceMs);
    pool.options.query_timeout = replicaPatienceMs;
    this.kysely = new Kysely({ dialect: new OwnPostgresDialect(pool) });
  }

  /** Whether it lacks nothing older than `mostBehindMs`. Nobody waits for a look at it. */
  isClose(): boolean {
    const now = this.options.clock.elapsed();
    if (now - this.lookedAt >= lookEveryMs) void this.look();
    return now - this.completeUntil <= mostBehindMs;
  }

  /** Null when it gives no answer; it is not asked again before the next look. */
  async run(query: CompiledQuery): Promise<QueryResult<unknown> | null> {
    try {
      return await this.kysely.executeQuery(query);
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  facts(): Pick<ReplicaFacts, 'behindMs' | 'fault'> {
    const { behindMs } = this;
    this.isClose();
    const isLate = behindMs !== null && behindMs > mostBehindMs;
    return { behindMs, fault: this.failure ?? (isLate ? `it is ${Math.round(behindMs / 1_000)} s behind` : null) };
  }

  async close(): Promise<void> {
    await this.looking;
    await this.kysely.destroy();
  }

  /** Compares it with the primary; one look at a time. */
  look(): Promise<void> {
    this.lookedAt = this.options.clock.elapsed();
    this.looking ??= this.compare()
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.looking = null;
      });
    return this.looking;
  }

  private async compare(): Promise<void> {
    const { primary, clock } = this.options;
    const at = clock.elapsed();
    const written = await readPosition(primary, sql`pg_current_wal_lsn()`);
    const replayed = await readPosition(this.kysely, sql`pg_last_wal_replay_lsn()`);
    this.positions = [...this.positions.filter((one) => one.at >= at - positionsKeptMs), { at, ...written }];
    if (replayed.site !== written.site) throw new Error('it is a replica of another database');
    const reached = this.positions.findLast(({ position }) => position <= replayed.position);
    if (reached !== undefined) this.completeUntil = Math.max(this.completeUntil, reached.at);
    const behindMs = clock.elapsed() - (reached?.at ?? this.completeUntil);
    this.behindMs = Number.isFinite(behindMs) ? behindMs : null;
    this.failure = this.behindMs === null ? 'it has not caught up yet' : null;
  }

  private fail(error: unknown): void {
    this.completeUntil = Number.NEGATIVE_INFINITY;
    this.behindMs = null;
    this.failure = error instanceof Error ? error.message || error.name : String(error);
  }
}

/** A position in the log of one database cluster. @throws where the cluster has none of that kind */
async function readPosition(
  kysely: Kysely<Tables>,
  place: RawBuilder<unknown>,
): Promise<{ site: string; position: bigint }> {
  const { rows } = await sql<{ site: string; position: string | null }>`
    select system_identifier::text as site, pg_wal_lsn_diff(${place}, '0/0')::text as position
    from pg_control_system()`.execute(kysely);
  const [row] = rows;
  if (row === undefined || row.position === null) throw new Error('it is no replica');
  return { site: row.site, position: BigInt(row.position) };
}
