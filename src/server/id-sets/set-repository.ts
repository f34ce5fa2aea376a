import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import type { Dialect } from '../database/dialect.ts';
import type { Executor } from '../database/tables.ts';
import type { RevisionName } from '../http/pipeline/revision.ts';
import { bumpRevision } from '../http/pipeline/revision.ts';
import type { Snapshot, StoredChange } from './live-sets.ts';
import type { LogKey, SetChange } from './set-changes.ts';
import { readSetKey, SetChanges, writeSetKey } from './set-changes.ts';

/** The state of the change log. */
export interface LogPlace {
  /** The number of its last change. */
  seq: number;
  /** The snapshots together include every change up to this one, and the log begins after it. */
  keptSeq: number;
  isBuilt: boolean;
}

const insertLength = 500;

/** The log of the id sets and their snapshots. */
export const setRepository = {
  /**
   * Runs one transaction with its changes to the sets. Like all transactions that lock rows of
   * several tables, it locks the log first: the common order prevents deadlocks, which PostgreSQL
   * would resolve by aborting one.
   * @param beside see `WriteWithSets`
   */
  writeWithLog<Value>(
    database: Pick<Database, 'dialect' | 'write'>,
    work: (transaction: Executor, changes: SetChanges) => Promise<Value>,
    beside: string | null = null,
  ): Promise<Value> {
    const { dialect } = database;
    return database.write(async (transaction) => {
      await dialect.holdSetLog(transaction, beside);
      const changes = new SetChanges();
      const value = await work(transaction, changes);
      await setRepository.recordChanges(transaction, dialect, changes);
      return value;
    });
  },

  /**
   * Records changes as part of the transaction that makes them, as its last statement: all other
   * transactions that record changes wait from here to the commit. Thus a reader never sees a
   * change before the one with the next lower number.
   */
  async recordChanges(
    transaction: Executor,
    { kind }: Pick<Dialect, 'kind'>,
    recorded: Pick<SetChanges, 'list' | 'revisions'>,
  ): Promise<void> {
    const changes = recorded.list();
    if (kind === 'postgres' && changes.length > 0) {
      await recordAtOnce(transaction, changes, recorded.revisions);
      return;
    }
    for (const name of recorded.revisions) await bumpRevision(transaction, name);
    if (changes.length === 0) return;
    const { seq } = await transaction
      .updateTable('set_counter')
      .set({ seq: sql<number>`seq + ${sql.lit(changes.length)}` })
      .returning('seq')
      .executeTakeFirstOrThrow();
    const first = seq - changes.length + 1;
    const rows = changes.map(({ key, op, bits }, index) => ({ seq: first + index, key: writeSetKey(key), op, bits }));
    for (let from = 0; from < rows.length; from += insertLength) {
      await transaction
        .insertInto('set_changes')
        .values(rows.slice(from, from + insertLength))
        .execute();
    }
  },

  async readLogPlace(executor: Executor): Promise<LogPlace> {
    const { seq, kept_seq, built } = await executor.selectFrom('set_counter').selectAll().executeTakeFirstOrThrow();
    return { seq, keptSeq: kept_seq, isBuilt: built === 1 };
  },

  async readChanges(executor: Executor, afterSeq: number, limit: number): Promise<StoredChange<LogKey>[]> {
    const rows = await executor
      .selectFrom('set_changes')
      .selectAll()
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(limit)
      .execute();
    return rows.map(({ seq, key, op, bits }) => ({ seq, key: readSetKey(key), op, bits }));
  },

  /** Reads a page of snapshots, ordered by their stored keys. */
  async readSnapshots(
    executor: Executor,
    afterKey: string,
    limit: number,
  ): Promise<{ snapshots: Snapshot<LogKey>[]; lastKey: string | null }> {
    const rows = await executor
      .selectFrom('id_sets')
      .selectAll()
      .where('key', '>', afterKey)
      .orderBy('key')
      .limit(limit)
      .execute();
    const snapshots = rows.map(({ seq, key, cardinality, bits }) => ({ seq, key: readSetKey(key), cardinality, bits }));
    return { snapshots, lastKey: rows.at(-1)?.key ?? null };
  },

  /** Stores a snapshot, but never replaces a newer one. */
  async storeSnapshot(executor: Executor, { key, seq, cardinality, bits }: Snapshot): Promise<void> {
    const facts = { seq, cardinality, bits };
    await executor
      .insertInto('id_sets')
      .values({ key: writeSetKey(key), ...facts })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(facts).where('id_sets.seq', '<', seq))
      .execute();
  },

  async recordStored(executor: Executor, seq: number): Promise<void> {
    await executor.updateTable('set_counter').set({ kept_seq: seq }).where('kept_seq', '<', seq).execute();
  },

  async recordBuilt(executor: Executor): Promise<void> {
    await executor.updateTable('set_counter').set({ built: 1 }).execute();
  },

  /** The lowest number among the changes in the log; null if it is empty. */
  async readFirstSeq(executor: Executor): Promise<number | null> {
    const row = await executor.selectFrom('set_changes').select('seq').orderBy('seq').limit(1).executeTakeFirst();
    return row?.seq ?? null;
  },

  async trimChanges(executor: Executor, upToSeq: number): Promise<void> {
    await executor.deleteFrom('set_changes').where('seq', '<=', upToSeq).execute();
  },
};

/**
 * One statement for the counters and the rows: the counters are locked for as long as it and the
 * commit take, and not while it is on its way to the database.
 */
async function recordAtOnce(
  transaction: Executor,
  changes: readonly SetChange[],
  revisions: ReadonlySet<RevisionName>,
): Promise<void> {
  const keys = changes.map(({ key }) => writeSetKey(key));
  const [operations, bits] = [changes.map(({ op }) => op), changes.map((change) => change.bits)];
  await sql`
    with counter as (
      update set_counter set seq = seq + ${changes.length}::int returning seq
    ), raised as (
      update revisions set value = value + 1 where name = any(${[...revisions]}::text[])
    )
    insert into set_changes (seq, key, op, bits)
    select counter.seq - ${changes.length}::int + place, change.key, change.op, change.bits
    from counter, unnest(${keys}::text[], ${operations}::text[], ${bits}::bytea[])
      with ordinality as change (key, op, bits, place)`.execute(transaction);
}
