import { countAll } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';

/** Entries of a row of `watched_chunks`. */
export const chunkLength = 1_024;

/** A log as the database has it; `entries` counts deleted ones, too. */
export interface StoredLog {
  logId: string;
  entries: number;
}

/** Consecutive entries of a log. */
export interface Entries {
  /** The place of the first one in the log. */
  from: number;
  numbers: Uint32Array;
  /** Epoch minutes. */
  minutes: Uint32Array;
}

/** The place in a log where the round of a filter began. */
export interface StoredRound {
  selection: string;
  startedAt: number;
}

/** The logs of what was watched, and the rounds in them. */
export const watchedRepository = {
  async find(executor: Executor, owner: string): Promise<StoredLog | null> {
    const row = await executor
      .selectFrom('watched_owners')
      .select(['log_id', 'entries'])
      .where('owner', '=', owner)
      .executeTakeFirst();
    return row === undefined ? null : { logId: row.log_id, entries: row.entries };
  },

  /**
   * Locks a log for other writers until the transaction ends, and begins it if there is none. Null
   * for an account that is gone.
   */
  async hold(
    transaction: Executor,
    { key: owner, userId }: { key: string; userId: string | null },
    logId: string,
    now: number,
  ): Promise<StoredLog | null> {
    if (userId !== null) {
      const user = transaction.selectFrom('users').select('id').where('id', '=', userId);
      if ((await user.executeTakeFirst()) === undefined) return null;
    }
    const row = await transaction
      .insertInto('watched_owners')
      .values({ owner, user_id: userId, log_id: logId, entries: 0, last_at: now })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ last_at: now }))
      .returning(['log_id', 'entries'])
      .executeTakeFirstOrThrow();
    return { logId: row.log_id, entries: row.entries };
  },

  /** The entries from a place on that are still there, in the pieces in which they are stored. */
  async readFrom(executor: Executor, owner: string, from: number, chunks: number): Promise<Entries[]> {
    const first = Math.floor(from / chunkLength);
    const rows = await executor
      .selectFrom('watched_chunks')
      .select(['chunk', 'numbers', 'minutes'])
      .where('owner', '=', owner)
      .where('chunk', '>=', first)
      .orderBy('chunk')
      .limit(chunks)
      .execute();
    return rows.map(({ chunk, numbers, minutes }) => {
      const begin = Math.max(0, from - chunk * chunkLength);
      return {
        from: chunk * chunkLength + begin,
        numbers: toWords(numbers).subarray(begin),
        minutes: toWords(minutes).subarray(begin),
      };
    });
  },

  /**
   * Adds entries at the end of a log, and deletes the chunks that go beyond the most entries.
   * @param end the number of its entries before
   */
  async append(
    transaction: Executor,
    owner: string,
    end: number,
    { numbers, minutes }: Pick<Entries, 'numbers' | 'minutes'>,
    { now, most }: { now: number; most: number },
  ): Promise<void> {
    for (let at = 0; at < numbers.length; ) {
      const [chunk, filled] = [Math.floor((end + at) / chunkLength), (end + at) % chunkLength];
      const until = Math.min(numbers.length, at + chunkLength - filled);
      const [last] = filled === 0 ? [] : await this.readFrom(transaction, owner, chunk * chunkLength, 1);
      const bytes = {
        numbers: toBytes(last?.numbers, numbers.subarray(at, until)),
        minutes: toBytes(last?.minutes, minutes.subarray(at, until)),
      };
      await transaction
        .insertInto('watched_chunks')
        .values({ owner, chunk, ...bytes, last_at: now })
        .onConflict((conflict) => conflict.columns(['owner', 'chunk']).doUpdateSet({ ...bytes, last_at: now }))
        .execute();
      at = until;
    }
    const entries = end + numbers.length;
    await transaction.updateTable('watched_owners').set({ entries }).where('owner', '=', owner).execute();
    await transaction
      .deleteFrom('watched_chunks')
      .where('owner', '=', owner)
      .where('chunk', '<', Math.floor((entries - most) / chunkLength))
      .execute();
  },

  /** The rounds of a log, the one used last first. */
  async listRounds(executor: Executor, owner: string): Promise<StoredRound[]> {
    const rows = await executor
      .selectFrom('watched_rounds')
      .select(['selection', 'started_at_entry'])
      .where('owner', '=', owner)
      .orderBy('used_at', 'desc')
      .orderBy('selection')
      .execute();
    return rows.map((row) => ({ selection: row.selection, startedAt: row.started_at_entry }));
  },

  /** Null if what a round has seen was not stored. */
  async readSeen(
    executor: Executor,
    owner: string,
    { selection, startedAt }: StoredRound,
  ): Promise<{ bits: Buffer; entries: number } | null> {
    const row = await executor
      .selectFrom('watched_rounds')
      .select(['seen', 'seen_entries'])
      .where('owner', '=', owner)
      .where('selection', '=', selection)
      .where('started_at_entry', '=', startedAt)
      .executeTakeFirst();
    return row?.seen ? { bits: row.seen, entries: row.seen_entries } : null;
  },

  /** Stores what a round has seen, unless it has begun again meanwhile. */
  async writeSeen(
    transaction: Executor,
    owner: string,
    { selection, startedAt }: StoredRound,
    { bits, entries }: { bits: Buffer; entries: number },
  ): Promise<void> {
    await transaction
      .updateTable('watched_rounds')
      .set({ seen: bits, seen_entries: entries })
      .where('owner', '=', owner)
      .where('selection', '=', selection)
      .where('started_at_entry', '=', startedAt)
      .execute();
  },

  /** Stores that a round is in use; it begins at a place if it is new, or begins there again. */
  async putRound(
    transaction: Executor,
    owner: string,
    { selection, startedAt, isRestart }: StoredRound & { isRestart: boolean },
    now: number,
  ): Promise<void> {
    const begun = isRestart ? { started_at_entry: startedAt, seen: null, seen_entries: 0 } : {};
    await transaction
      .insertInto('watched_rounds')
      .values({ owner, selection, started_at_entry: startedAt, seen: null, seen_entries: 0, used_at: now })
      .onConflict((conflict) => conflict.columns(['owner', 'selection']).doUpdateSet({ used_at: now, ...begun }))
      .execute();
  },

  /** Deletes the rounds that were unused for longest, beyond the most. @returns the others */
  async keepRounds(transaction: Executor, owner: string, most: number): Promise<StoredRound[]> {
    const rounds = await this.listRounds(transaction, owner);
    const surplus = rounds.slice(most).map(({ selection }) => selection);
    const own = transaction.deleteFrom('watched_rounds').where('owner', '=', owner);
    if (surplus.length > 0) await own.where('selection', 'in', surplus).execute();
    return rounds.slice(0, most);
  },

  /** Deletes a log with all of its rounds. */
  async forget(transaction: Executor, owner: string): Promise<void> {
    await transaction.deleteFrom('watched_owners').where('owner', '=', owner).execute();
  },

  /** Deletes the logs of the browsers that were unused for longest, beyond the most that are kept. */
  async keepBrowsers(transaction: Executor, most: number): Promise<void> {
    const own = transaction.selectFrom('watched_owners').where('user_id', 'is', null);
    const { count } = await own.select(countAll().as('count')).executeTakeFirstOrThrow();
    if (Number(count) <= most) return;
    const oldest = own
      .select('owner')
      .orderBy('last_at')
      .limit(Number(count) - most);
    await transaction.deleteFrom('watched_owners').where('owner', 'in', oldest).execute();
  },

  /** Deletes logs without an entry since a time. @returns how many, at most `limit` */
  async deleteUnusedSince(
    transaction: Executor,
    { browser, account }: { browser: number; account: number },
    limit: number,
  ): Promise<number> {
    const owners = transaction
      .selectFrom('watched_owners')
      .select('owner')
      .where((row) =>
        row.or([row('last_at', '<', account), row.and([row('user_id', 'is', null), row('last_at', '<', browser)])]),
      )
      .limit(limit);
    const deleted = await transaction.deleteFrom('watched_owners').where('owner', 'in', owners).executeTakeFirst();
    return Number(deleted.numDeletedRows);
  },

  /** Deletes chunks without an entry since a time. @returns how many, at most `limit` */
  async deleteChunksBefore(transaction: Executor, time: number, limit: number): Promise<number> {
    const rows = await transaction
      .selectFrom('watched_chunks')
      .select(['owner', 'chunk'])
      .where('last_at', '<', time)
      .limit(limit)
      .execute();
    for (const { owner, chunk } of rows)
      await transaction.deleteFrom('watched_chunks').where('owner', '=', owner).where('chunk', '=', chunk).execute();
    return rows.length;
  },
};

/** Copies the bytes: words have to begin at a multiple of four. */
function toWords(bytes: Buffer): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

function toBytes(first: Uint32Array | undefined, second: Uint32Array): Buffer {
  return Buffer.concat([first, second].flatMap((words) => (words === undefined ? [] : [bytesOf(words)])));
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
