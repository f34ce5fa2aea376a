import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Dialect } from '../database/dialect.ts';
import type { Executor, Tables } from '../database/tables.ts';

export type NodeState = Tables['nodes']['state'];
type NodeRole = Tables['nodes']['role'];

/** The facts that a node tells the others about itself. */
export interface NodeFacts {
  id: string;
  name: string;
  machine: string;
  process: string;
  role: NodeRole;
  version: string;
  state: NodeState;
  files: string;
  storage: string;
  library: string | null;
  isTlsLocal: boolean;
  kinds: readonly string[];
  away: readonly string[];
  /** Whether its players have reported a stall since it was last seen. */
  hasStalled: boolean;
}

/** A stored node. */
export interface KnownNode extends Omit<NodeFacts, 'hasStalled'> {
  isAskedToDrain: boolean;
  /** Milliseconds since it was last seen, by the database's clock. */
  silentMs: number;
  /** Milliseconds since its players last reported a stall; null for none. */
  stalledMs: number | null;
  startedAt: number;
  /** The time of the last heartbeat by the database's clock. */
  seenAt: number;
}

/** Texts are rows among the settings, by the names of their files. */
const textPrefix = 'text:';

/** The nodes of a site, what one of them does for all, and what they pass on. */
export const nodeRepository = {
  /** Whether the database is recent enough to know its nodes. */
  async exists(executor: Executor): Promise<boolean> {
    const tables = await executor.introspection.getTables();
    return tables.some(({ name }) => name === 'nodes');
  },

  /** Keeps other servers from joining until this transaction ends. */
  async hold(transaction: Executor, dialect: Dialect): Promise<void> {
    await dialect.holdMigrations(transaction as Kysely<unknown>);
  },

  /** Lists all stored nodes, the longest running first. */
  async list(executor: Executor, { now }: Dialect): Promise<KnownNode[]> {
    const rows = await executor
      .selectFrom('nodes')
      .selectAll()
      .select(now.as('now'))
      .orderBy('started_at')
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      machine: row.machine,
      process: row.process,
      role: row.role,
      version: row.version,
      state: row.state,
      files: row.files,
      storage: row.storage,
      library: row.library,
      isTlsLocal: row.tls_local === 1,
      kinds: JSON.parse(row.kinds) as string[],
      away: JSON.parse(row.away) as string[],
      isAskedToDrain: row.drain === 1,
      silentMs: Math.max(0, row.now - row.seen_at),
      stalledMs: row.stalled_at === null ? null : Math.max(0, row.now - row.stalled_at),
      startedAt: row.started_at,
      seenAt: row.seen_at,
    }));
  },

  /** Stores what a node says about itself at this moment. */
  async put(transaction: Executor, { now }: Dialect, facts: NodeFacts): Promise<void> {
    const { id, kinds, away, isTlsLocal, hasStalled, ...same } = facts;
    const row = {
      ...same,
      tls_local: isTlsLocal ? (1 as const) : (0 as const),
      kinds: JSON.stringify(kinds),
      away: JSON.stringify(away),
      seen_at: now,
      ...(hasStalled ? { stalled_at: now } : {}),
    };
    await transaction
      .insertInto('nodes')
      .values({ id, ...row, drain: 0, started_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  },

  /** Asks the nodes of a name to leave. */
  async askToDrain(transaction: Executor, name: string): Promise<void> {
    await transaction.updateTable('nodes').set({ drain: 1 }).where('name', '=', name).execute();
  },

  /** Removes nodes, and what they did for the others. */
  async remove(transaction: Executor, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await transaction.deleteFrom('leases').where('owner', 'in', ids).execute();
    await transaction.deleteFrom('nodes').where('id', 'in', ids).execute();
  },

  /** Removes the leases of nodes that are not there any more. */
  async removeLostLeases(transaction: Executor): Promise<void> {
    const known = transaction.selectFrom('nodes').select('id');
    await transaction.deleteFrom('leases').where('owner', 'not in', known).execute();
  },

  /** Takes a lease that nobody else holds, or renews it. @returns whether the owner has it now */
  async takeLease(
    transaction: Executor,
    { now }: Dialect,
    { name, owner, ms }: { name: string; owner: string; ms: number },
  ): Promise<boolean> {
    const until = sql<number>`${now} + ${ms}`;
    const rows = await transaction
      .insertInto('leases')
      .values({ name, owner, until })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ owner, until })
          .where((where) => where.or([where('leases.owner', '=', owner), where('leases.until', '<', now)])),
      )
      .returning('owner')
      .execute();
    return rows.length > 0;
  },

  /** A text of the operator that some node has passed on; null for none. */
  async findText(executor: Executor, name: string): Promise<string | null> {
    const row = await executor
      .selectFrom('settings')
      .select('value')
      .where('name', '=', textPrefix + name)
      .executeTakeFirst();
    return row === undefined ? null : (JSON.parse(row.value) as string);
  },

  /** Passes a text on; null takes it back. */
  async putText(transaction: Executor, name: string, text: string | null, now: number): Promise<void> {
    if (text === null) {
      await transaction
        .deleteFrom('settings')
        .where('name', '=', textPrefix + name)
        .execute();
      return;
    }
    const facts = { value: JSON.stringify(text), updated_at: now };
    await transaction
      .insertInto('settings')
      .values({ name: textPrefix + name, ...facts })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
      .execute();
  },

  async dropLease(transaction: Executor, name: string, owner: string): Promise<void> {
    await transaction.deleteFrom('leases').where('name', '=', name).where('owner', '=', owner).execute();
  },
};
