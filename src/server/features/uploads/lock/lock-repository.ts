import type { Executor } from '../../../database/tables.ts';
import type { UploadFile } from '../upload-file.ts';

/** A file as whoever took its lock found it. */
export interface LockedFile {
  state: UploadFile['state'];
  /** Bytes that were on the disk for certain. */
  durable: number;
  /** What is beyond them is not to be trusted. */
  isSuspect: boolean;
}

/** Null while somebody else holds it. */
export async function claimLock(
  transaction: Executor,
  id: string,
  { owner, now, until }: { owner: string; now: number; until: number },
): Promise<LockedFile | null> {
  const row = await transaction
    .updateTable('upload_files')
    .set({ lock_owner: owner, lock_until: until, lock_wanted: 0 })
    .where('id', '=', id)
    .where((file) => file.or([file('lock_owner', 'is', null), file('lock_until', '<=', now)]))
    .returning(['state', 'durable', 'suspect'])
    .executeTakeFirst();
  return row === undefined ? null : { state: row.state, durable: row.durable, isSuspect: row.suspect === 1 };
}

/** Asks whoever holds it to let go. */
export async function requestLock(transaction: Executor, id: string): Promise<void> {
  await transaction.updateTable('upload_files').set({ lock_wanted: 1 }).where('id', '=', id).execute();
}

export interface LockState {
  received?: number;
  speed?: number;
  durable?: number;
  suspect?: 0 | 1;
}

/** Null when it is somebody else's by now. @returns whether another request waits for it */
export async function renewLock(
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
}

export async function releaseLock(transaction: Executor, id: string, owner: string): Promise<void> {
  await transaction
    .updateTable('upload_files')
    .set({ lock_owner: null, lock_until: 0, lock_wanted: 0, speed: 0 })
    .where('id', '=', id)
    .where('lock_owner', '=', owner)
    .execute();
}

/** Bytes have come: the session goes on. */
export async function noteActive(transaction: Executor, sessionId: string, now: number): Promise<void> {
  await transaction.updateTable('upload_sessions').set({ active_at: now }).where('id', '=', sessionId).execute();
}

/** For a database that nobody else works with: whoever held one is gone. */
export async function releaseAllLocks(transaction: Executor): Promise<void> {
  await transaction
    .updateTable('upload_files')
    .set({ lock_owner: null, lock_until: 0, lock_wanted: 0, speed: 0 })
    .where('lock_owner', 'is not', null)
    .execute();
}
