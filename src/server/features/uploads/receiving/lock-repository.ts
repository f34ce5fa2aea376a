import { sql } from 'kysely';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import type { UploadFile } from '../upload-file.ts';

/** The state of a file when its lock was taken. */
export interface LockedFile {
  state: UploadFile['state'];
  /** Bytes that are certain to be on the disk. */
  durable: number;
  /** Bytes after the durable ones must not be trusted. */
  isSuspect: boolean;
}

export interface LockState {
  received?: number;
  speed?: number;
  durable?: number;
  suspect?: 0 | 1;
}

export interface HeldLock {
  id: string;
  owner: string;
  state: Pick<LockState, 'received' | 'speed'>;
}

/** Locks of files that are being received. */
export const lockRepository = {
  /**
   * Takes the lock, which also takes back a give-up. Returns null while another request holds it.
   */
  async claim(
    transaction: Executor,
    id: string,
    { owner, now, until }: { owner: string; now: number; until: number },
  ): Promise<LockedFile | null> {
    const row = await transaction
      .updateTable('upload_files')
      .set({ lock_owner: owner, lock_until: until, lock_wanted: 0, given_up: 0 })
      .where('id', '=', id)
      .where((file) => file.or([file('lock_owner', 'is', null), file('lock_until', '<=', now)]))
      .returning(['state', 'durable', 'suspect'])
      .executeTakeFirst();
    return row === undefined ? null : { state: row.state, durable: row.durable, isSuspect: row.suspect === 1 };
  },

  /** Asks the holder to release the lock. */
  async request(transaction: Executor, id: string): Promise<void> {
    await transaction.updateTable('upload_files').set({ lock_wanted: 1 }).where('id', '=', id).execute();
  },

  /**
   * Renews a lock. Returns null when another request holds it.
   * @returns whether another request waits for it
   */
  async renew(
    transaction: Executor,
    { id, owner, until }: { id: string; owner: string; until: number },
    state: LockState,
  ): Promise<{ isWanted: boolean } | null> {
    const row = await transaction
      .updateTable('upload_files')
      .set({ lock_until: until, ...state })
      .where('id', '=', id)
      .where('lock_owner', '=', owner)
      .returning('lock_wanted')
      .executeTakeFirst();
    return row === undefined ? null : { isWanted: row.lock_wanted === 1 };
  },

  /** Renews many locks with one statement. @returns the locks that are still held, by file id */
  async renewAll(
    transaction: Executor,
    locks: readonly HeldLock[],
    until: number,
  ): Promise<Map<string, { isWanted: boolean }>> {
    const rows = locks.map(
      ({ id, owner, state: { received = null, speed = null } }) =>
        sql`(cast(${id} as text), cast(${owner} as text), cast(${received} as bigint), cast(${speed} as bigint))`,
    );
    const { rows: renewed } = await sql<{ id: string; lock_wanted: 0 | 1 }>`
      with held (id, owner, received, speed) as (values ${sql.join(rows)})
      update upload_files
      set lock_until = ${until},
        received = coalesce(held.received, upload_files.received),
        speed = coalesce(held.speed, upload_files.speed)
      from held
      where upload_files.id = held.id and upload_files.lock_owner = held.owner
      returning upload_files.id as id, upload_files.lock_wanted as lock_wanted`.execute(transaction);
    return new Map(renewed.map(({ id, lock_wanted }) => [id, { isWanted: lock_wanted === 1 }]));
  },

  /** @returns false when another request holds the lock */
  async release(
    transaction: Executor,
    { id, owner }: { id: string; owner: string },
    state: LockState = {},
  ): Promise<boolean> {
    const row = await transaction
      .updateTable('upload_files')
      .set({ lock_owner: null, lock_until: 0, lock_wanted: 0, ...state, speed: 0 })
      .where('id', '=', id)
      .where('lock_owner', '=', owner)
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  },

  /** The state of a file that no request works on; null while one does. */
  async findUnlocked(executor: Executor, id: string, now: number): Promise<LockedFile | null> {
    const row = await executor
      .selectFrom('upload_files')
      .select(['state', 'durable', 'suspect'])
      .where('id', '=', id)
      .where((file) => file.or([file('lock_owner', 'is', null), file('lock_until', '<=', now)]))
      .executeTakeFirst();
    return row === undefined ? null : { state: row.state, durable: row.durable, isSuspect: row.suspect === 1 };
  },

  /**
   * Records that the sessions got enough bytes. Takes at most as many ids as one process has
   * requests.
   */
  async noteActive(transaction: Executor, sessionIds: readonly string[], now: number): Promise<void> {
    await transaction.updateTable('upload_sessions').set({ active_at: now }).where('id', 'in', sessionIds).execute();
  },

  /** The declared bytes of all files of each session. */
  async sumDeclaredBytes(
    executor: Executor,
    sessionIds: readonly string[],
  ): Promise<{ sessionId: string; bytes: number }[]> {
    const sums: { sessionId: string; bytes: number }[] = [];
    for (let from = 0; from < sessionIds.length; from += inListLength) {
      const rows = await executor
        .selectFrom('upload_files')
        .select(['session_id', (row) => row.fn.sum<number | string>('size').as('bytes')])
        .where('session_id', 'in', sessionIds.slice(from, from + inListLength))
        .groupBy('session_id')
        .execute();
      sums.push(...rows.map(({ session_id, bytes }) => ({ sessionId: session_id, bytes: Number(bytes) })));
    }
    return sums;
  },

  /** Releases every lock of a database that only this process uses: the former holders are gone. */
  async releaseAll(transaction: Executor): Promise<void> {
    await transaction
      .updateTable('upload_files')
      .set({ lock_owner: null, lock_until: 0, lock_wanted: 0, speed: 0 })
      .where('lock_owner', 'is not', null)
      .execute();
  },
};
