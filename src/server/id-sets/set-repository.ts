import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import type { Executor } from '../database/tables.ts';
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
   */
  writeWithLog<Value>(
    database: Pick<Database, 'dialect' | 'write'>,
    work: (transaction: Executor, changes: SetChanges) => Promise<Value>,
  ): Promise<Value> {
    return database.write(async (transaction) => {
      // SQLite runs write transactions one after the other anyway, and this would be a write even
      // if nothing changes.
      if (database.dialect.kind === 'postgres') await setRepository.holdLog(transaction);
      const changes = new SetChanges();
      const value = await work(transaction, changes);
      await setRepository.recordChanges(transaction, changes.list());
      return value;
    });
  },

  /**
   * Records changes as part of the transaction that makes them, as its last statement: all other
   * transactions that record changes wait from here to the commit. Thus a reader never sees a
   * change before the one with the next lower number.
   */
  async recordChanges(transaction: Executor, changes: readonly SetChange[]): Promise<void> {
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

  /** Locks the log: all other transactions that record changes wait until this one ends. */
  async holdLog(transaction: Executor): Promise<void> {
    await transaction.updateTable('set_counter').set({ seq: sql<number>`seq` }).execute();
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
