import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import { limits } from '#contract/limits.ts';
import { countAll } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import { tierOf } from '../users/account.ts';
import type { StoredUploadSession, UploadFile } from './upload-file.ts';
import { toUploadFile } from './upload-file.ts';

export type NewUploadFile = Pick<
  Insertable<Tables['upload_files']>,
  'id' | 'position' | 'address' | 'filename' | 'mime_type' | 'size'
>;

/** Upload sessions and their files. */
export const uploadSessionRepository = {
  /**
   * Locks the row of a user until the transaction ends, so that the totals of that person cannot
   * change meanwhile.
   */
  async holdUser(
    transaction: Executor,
    userId: string,
  ): Promise<{ eulaVersion: string | null; createdAt: number } | null> {
    const row = await transaction
      .updateTable('users')
      .set((user) => ({ id: user.ref('id') }))
      .where('id', '=', userId)
      .returning(['eula_version', 'created_at'])
      .executeTakeFirst();
    return row === undefined ? null : { eulaVersion: row.eula_version, createdAt: row.created_at };
  },

  /**
   * @param activeAfter sessions that were idle since then are over, even if their row is still open
   */
  async countOpen(executor: Executor, userId: string, activeAfter: number): Promise<number> {
    const { count } = await executor
      .selectFrom('upload_sessions')
      .select(countAll().as('count'))
      .where('user_id', '=', userId)
      .where('state', '=', 'open')
      .where('active_at', '>', activeAfter)
      .executeTakeFirstOrThrow();
    return count;
  },

  /** Counts the open sessions of all accounts. @param activeAfter as above */
  async countAllOpen(executor: Executor, activeAfter: number): Promise<number> {
    const { count } = await executor
      .selectFrom('upload_sessions')
      .select(countAll().as('count'))
      .where('state', '=', 'open')
      .where('active_at', '>', activeAfter)
      .executeTakeFirstOrThrow();
    return count;
  },

  /** Bytes that are stored for a person, or reserved. */
  async sumReservedBytes(executor: Executor, userId: string): Promise<number> {
    const stored = await executor
      .selectFrom('upload_files')
      .select((row) => row.fn.sum<number | string | null>('stored_bytes').as('bytes'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    const coming = await executor
      .selectFrom('upload_files')
      .select((row) => row.fn.sum<number | string | null>('size').as('bytes'))
      .where('user_id', '=', userId)
      .where('state', '=', 'receiving')
      .executeTakeFirstOrThrow();
    return Number(stored.bytes ?? 0) + Number(coming.bytes ?? 0);
  },

  /**
   * Bytes of files without an owner, stored or reserved.
   * @param from epoch milliseconds @param until exclusive
   */
  async sumOwnerlessBytes(executor: Executor, from: number, until: number): Promise<number> {
    const { bytes } = await executor
      .selectFrom('upload_files')
      .select(
        sql<number | string | null>`sum(case when state = 'receiving' then size else stored_bytes end)`.as('bytes'),
      )
      .where('user_id', 'is', null)
      .where('created_at', '>=', from)
      .where('created_at', '<', until)
      .executeTakeFirstOrThrow();
    return Number(bytes ?? 0);
  },

  async insert(
    transaction: Executor,
    session: Insertable<Tables['upload_sessions']>,
    files: readonly NewUploadFile[],
  ): Promise<void> {
    await transaction.insertInto('upload_sessions').values(session).execute();
    const rest = {
      session_id: session.id,
      user_id: session.user_id,
      state: 'receiving',
      received: 0,
      speed: 0,
      durable: 0,
      suspect: 0,
      stored_bytes: 0,
      lock_until: 0,
      lock_wanted: 0,
      given_up: 0,
      created_at: session.created_at,
    } as const;
    await transaction
      .insertInto('upload_files')
      .values(files.map((file) => ({ ...file, ...rest })))
      .execute();
  },

  /** Finds a session with the present rights of its owner. @param now epoch milliseconds */
  async find(executor: Executor, id: string, now: number): Promise<StoredUploadSession | null> {
    const row = await executor
      .selectFrom('upload_sessions')
      .leftJoin('users as owner', 'owner.id', 'upload_sessions.user_id')
      .selectAll('upload_sessions')
      .select(['owner.tier', 'owner.tier_expires_at'])
      .where('upload_sessions.id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { tier, tier_expires_at: tierExpiresAt, ...session } = row;
    return toUploadSession(session, tier !== null && tierOf({ tier, tierExpiresAt }, now) === 'admin');
  },

  /** Lists the files in their order. */
  async listFiles(executor: Executor, sessionId: string): Promise<UploadFile[]> {
    const rows = await executor
      .selectFrom('upload_files')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('position')
      .execute();
    return rows.map(toUploadFile);
  },

  async findFileByAddress(executor: Executor, address: string): Promise<UploadFile | null> {
    const row = await executor.selectFrom('upload_files').selectAll().where('address', '=', address).executeTakeFirst();
    return row === undefined ? null : toUploadFile(row);
  },

  async setTags(transaction: Executor, id: string, tagIds: readonly string[]): Promise<void> {
    await transaction
      .updateTable('upload_sessions')
      .set({ tag_ids: JSON.stringify(tagIds) })
      .where('id', '=', id)
      .execute();
  },

  /** Changes the key of an open session. @returns whether it was open */
  async setKey(transaction: Executor, id: string, keyHash: string): Promise<boolean> {
    const row = await transaction
      .updateTable('upload_sessions')
      .set({ key_hash: keyHash })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Ends an open session. @returns whether it was open */
  async end(transaction: Executor, id: string, state: Exclude<StoredUploadSession['state'], 'open'>): Promise<boolean> {
    const row = await transaction
      .updateTable('upload_sessions')
      .set({ state })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  },

  /** @returns whether the file was still being received */
  async failFile(transaction: Executor, id: string, error: string, now: number): Promise<boolean> {
    const row = await transaction
      .updateTable('upload_files')
      .set({ state: 'failed', error, speed: 0, completed_at: now })
      .where('id', '=', id)
      .where('state', '=', 'receiving')
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Marks files of a session as given up by their sender, except those that a request works on. */
  async giveUpFiles(transaction: Executor, sessionId: string, ids: readonly string[], now: number): Promise<void> {
    if (ids.length === 0) return;
    await transaction
      .updateTable('upload_files')
      .set({ given_up: 1 })
      .where('session_id', '=', sessionId)
      .where('id', 'in', ids)
      .where('state', '=', 'receiving')
      .where((file) => file.or([file('lock_owner', 'is', null), file('lock_until', '<=', now)]))
      .execute();
  },

  /**
   * Ends a session whose files have all ended.
   * @param emptyState its state when none of them has become a video
   */
  async endWhenDone(transaction: Executor, sessionId: string, emptyState: 'completed' | 'cancelled'): Promise<void> {
    const states = await transaction
      .selectFrom('upload_files')
      .select('state')
      .distinct()
      .where('session_id', '=', sessionId)
      .execute();
    if (states.some(({ state }) => state === 'receiving')) return;
    const isCompleted = states.some(({ state }) => state === 'completed');
    await uploadSessionRepository.end(transaction, sessionId, isCompleted ? 'completed' : emptyState);
  },

  /** The ids of open sessions that received nothing since then. */
  async listIdle(executor: Executor, activeBefore: number, limit: number): Promise<string[]> {
    const rows = await executor
      .selectFrom('upload_sessions')
      .select('id')
      .where('state', '=', 'open')
      .where('active_at', '<=', activeBefore)
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },

  /** The ids of open sessions whose owner is gone. */
  async listOwnerless(executor: Executor, limit: number): Promise<string[]> {
    const rows = await executor
      .selectFrom('upload_sessions')
      .select('id')
      .where('state', '=', 'open')
      .where('user_id', 'is', null)
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },

  /** Returns those of at most `inListLength` files that are still being received. */
  async findReceiving(executor: Executor, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await executor
      .selectFrom('upload_files')
      .select('id')
      .where('id', 'in', ids)
      .where('state', '=', 'receiving')
      .execute();
    return new Set(rows.map(({ id }) => id));
  },

  /**
   * Deletes failed files of a person beyond the number that is kept; files of open sessions stay.
   * The limit is twice the files of a session, so that a surplus never lasts.
   */
  async forgetFailed(transaction: Executor, userId: string): Promise<void> {
    const surplus = transaction
      .selectFrom('upload_files')
      .select('id')
      .where('user_id', '=', userId)
      .where('state', '=', 'failed')
      .orderBy('id', 'desc')
      .offset(limits.failedUploadsKept)
      .limit(2 * limits.uploadFilesPerSession);
    const open = transaction.selectFrom('upload_sessions').select('id').where('state', '=', 'open');
    await transaction
      .deleteFrom('upload_files')
      .where('id', 'in', surplus)
      .where('session_id', 'not in', open.where('user_id', '=', userId))
      .execute();
  },

  /** Deletes sessions that are over and have no files left. @returns their number */
  async deleteEmpty(transaction: Executor, limit: number): Promise<number> {
    const empty = transaction
      .selectFrom('upload_sessions')
      .select('id')
      .where('state', '!=', 'open')
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('upload_files').select('id').whereRef('session_id', '=', 'upload_sessions.id'))),
      )
      .limit(limit);
    const rows = await transaction.deleteFrom('upload_sessions').where('id', 'in', empty).returning('id').execute();
    return rows.length;
  },
};

function toUploadSession(row: Selectable<Tables['upload_sessions']>, isOwnerAdmin: boolean): StoredUploadSession {
  return {
    id: row.id,
    userId: row.user_id,
    isOwnerAdmin,
    keyHash: row.key_hash,
    state: row.state,
    tagIds: JSON.parse(row.tag_ids) as string[],
    needsApproval: row.needs_approval === 1,
    activeAt: row.active_at,
  };
}
