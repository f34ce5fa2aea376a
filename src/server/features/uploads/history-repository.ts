import type { Insertable, Selectable } from 'kysely';
import type { PastUpload, UploadStats } from '#contract/entities/upload.ts';
import { countAll } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { StoredVideo } from './stored/stored-upload-repository.ts';
import type { UploadFile } from './upload-file.ts';
import { toUploadFile } from './upload-file.ts';

type Status = PastUpload['status'];

/** An entry of an account's upload history, with its video. */
export interface HistoryEntry {
  file: UploadFile;
  /**
   * Null when there is no video, or it was removed. `isUpload` is false for a video of a library
   * folder.
   */
  video: { number: number; isUpload: boolean } | null;
}

/** A removed video whose bytes still exist. */
export interface RestorableUpload {
  id: string;
  filename: string;
  size: number;
  video: StoredVideo;
  tagIds: string[];
}

/** A removed upload as administrators see it. Names are null when the account is gone. */
export interface ListedRemoval {
  id: string;
  filename: string;
  size: number;
  uploadedBy: string | null;
  removedBy: string | null;
  /** Epoch milliseconds. */
  removedAt: number;
}

/** Past uploads, and the removed ones that can be restored. */
export const historyRepository = {
  async count(executor: Executor, userId: string, status?: Status): Promise<number> {
    const { count } = await filesOf(executor, userId, status).select(countAll().as('count')).executeTakeFirstOrThrow();
    return count;
  },

  /** Lists a person's uploads, latest first; `videoId` is null for a file without a video. */
  async list(
    executor: Executor,
    userId: string,
    { status, limit, offset }: { status?: Status; limit: number; offset: number },
  ): Promise<(UploadFile & { videoId: string | null })[]> {
    const rows = await filesOf(executor, userId, status)
      .leftJoin('videos', 'videos.number', 'upload_files.video_number')
      .selectAll('upload_files')
      .select('videos.id as video_id')
      .orderBy('upload_files.id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map(({ video_id, ...row }) => ({ ...toUploadFile(row), videoId: video_id }));
  },

  /** Counts existing files. @param userId null for all accounts */
  async readStats(executor: Executor, userId: string | null): Promise<UploadStats> {
    const rows = await executor
      .selectFrom('upload_files')
      .select(['state', 'given_up', countAll().as('count')])
      .select((row) => row.fn.sum<number | string>('received').as('bytes'))
      .where('removed_at', 'is', null)
      .where((row) => row.or([row('state', '!=', 'completed'), row('video_number', 'is not', null)]))
      .$if(userId !== null, (query) => query.where('user_id', '=', userId))
      .groupBy(['state', 'given_up'])
      .execute();
    const countOf = (status: UploadFile['state']) =>
      rows.filter((row) => countedAs(row) === status).reduce((sum, { count }) => sum + count, 0);
    return {
      files: rows.reduce((sum, { count }) => sum + count, 0),
      bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      completed: countOf('completed'),
      failed: countOf('failed'),
      in_progress: countOf('receiving'),
    };
  },

  /** Returns null for a deleted entry too. */
  async find(executor: Executor, id: string): Promise<HistoryEntry | null> {
    const row = await executor
      .selectFrom('upload_files')
      .leftJoin('videos', 'videos.number', 'upload_files.video_number')
      .leftJoin('library_roots as root', 'root.number', 'videos.root_number')
      .selectAll('upload_files')
      .select('root.kind')
      .where('upload_files.id', '=', id)
      .where('upload_files.removed_at', 'is', null)
      .executeTakeFirst();
    if (row === undefined) return null;
    const file = toUploadFile(row);
    const { videoNumber } = file;
    return { file, video: videoNumber === null ? null : { number: videoNumber, isUpload: row.kind === 'uploads' } };
  },

  /** The oldest other entry that leads to the video, or null. */
  async findHeir(executor: Executor, videoNumber: number, exceptId: string): Promise<string | null> {
    const row = await executor
      .selectFrom('upload_files')
      .select('id')
      .where('video_number', '=', videoNumber)
      .where('id', '!=', exceptId)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return row?.id ?? null;
  },

  /** Moves the stored bytes of one entry to another, if it has any. */
  async passStorage(transaction: Executor, fromId: string, toId: string): Promise<void> {
    const giver = await transaction
      .selectFrom('upload_files')
      .select('stored_bytes')
      .where('id', '=', fromId)
      .executeTakeFirst();
    await transaction
      .updateTable('upload_files')
      .set((row) => ({ stored_bytes: row('stored_bytes', '+', giver?.stored_bytes ?? 0) }))
      .where('id', '=', toId)
      .execute();
    await transaction.updateTable('upload_files').set({ stored_bytes: 0 }).where('id', '=', fromId).execute();
  },

  /** Hides the entry from all histories and unlinks its video. */
  async delete(transaction: Executor, id: string, now: number): Promise<void> {
    await transaction
      .updateTable('upload_files')
      .set({ removed_at: now, video_number: null })
      .where('id', '=', id)
      .execute();
  },

  /**
   * Forgets entries that were deleted before an instant and are not needed to restore a video.
   * @returns their number
   */
  async forget(transaction: Executor, before: number, limit: number): Promise<number> {
    const old = transaction
      .selectFrom('upload_files')
      .select('id')
      .where('removed_at', '<=', before)
      .where('removed_upload', 'is', null)
      .limit(limit);
    const rows = await transaction.deleteFrom('upload_files').where('id', 'in', old).returning('id').execute();
    return rows.length;
  },

  async insertRemoved(transaction: Executor, row: Insertable<Tables['removed_uploads']>): Promise<void> {
    await transaction.insertInto('removed_uploads').values(row).execute();
  },

  async findRemoved(executor: Executor, id: string): Promise<RestorableUpload | null> {
    const row = await executor.selectFrom('removed_uploads').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toRestorable(row);
  },

  /**
   * Deletes the row; its entries lead nowhere afterwards.
   * @returns null when another process has deleted it
   */
  async deleteRemoved(transaction: Executor, id: string): Promise<RestorableUpload | null> {
    const row = await transaction.deleteFrom('removed_uploads').where('id', '=', id).returningAll().executeTakeFirst();
    return row === undefined ? null : toRestorable(row);
  },

  /** Links all entries of a video to its removed upload, so that they can be linked to it again. */
  async linkToRemoved(transaction: Executor, videoNumber: number, id: string): Promise<void> {
    await transaction
      .updateTable('upload_files')
      .set({ removed_upload: id })
      .where('video_number', '=', videoNumber)
      .execute();
  },

  /** Links the entries to the restored video, including those that were deleted with it. */
  async linkToVideo(transaction: Executor, id: string, videoNumber: number): Promise<void> {
    await transaction
      .updateTable('upload_files')
      .set({ video_number: videoNumber, removed_upload: null, removed_at: null })
      .where('removed_upload', '=', id)
      .execute();
  },

  /** Takes the bytes out of the quota that they count in. */
  async releaseStorage(transaction: Executor, id: string): Promise<void> {
    await transaction
      .updateTable('upload_files')
      .set({ stored_bytes: 0, removed_upload: null })
      .where('removed_upload', '=', id)
      .execute();
  },

  /** The account whose quota the bytes of a video count in, or null. */
  async findStoringUser(executor: Executor, videoNumber: number): Promise<string | null> {
    const row = await executor
      .selectFrom('upload_files')
      .select('user_id')
      .where('video_number', '=', videoNumber)
      .where('stored_bytes', '>', 0)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return row?.user_id ?? null;
  },

  /** Lists removed uploads, latest first. */
  async listRemoved(
    executor: Executor,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ListedRemoval[]> {
    const rows = await executor
      .selectFrom('removed_uploads as removed')
      .leftJoin('users as owner', 'owner.id', 'removed.user_id')
      .leftJoin('users as remover', 'remover.id', 'removed.removed_by')
      .select(['removed.id', 'removed.filename', 'removed.size', 'removed.removed_at'])
      .select(['owner.username as owner_username', 'owner.display_name as owner_name'])
      .select(['remover.username as remover_username', 'remover.display_name as remover_name'])
      .orderBy('removed.removed_at', 'desc')
      .orderBy('removed.id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      filename: row.filename,
      size: row.size,
      uploadedBy: row.owner_name ?? row.owner_username,
      removedBy: row.remover_name ?? row.remover_username,
      removedAt: row.removed_at,
    }));
  },

  async countRemoved(executor: Executor): Promise<number> {
    const { count } = await executor
      .selectFrom('removed_uploads')
      .select(countAll().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  },

  /** The ids of uploads that were removed before an instant. */
  async listRemovedBefore(executor: Executor, before: number, limit: number): Promise<string[]> {
    const rows = await executor
      .selectFrom('removed_uploads')
      .select('id')
      .where('removed_at', '<=', before)
      .orderBy('removed_at')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },
};

function filesOf(executor: Executor, userId: string, status: Status | undefined) {
  return executor
    .selectFrom('upload_files')
    .where('upload_files.user_id', '=', userId)
    .where('removed_at', 'is', null)
    .$if(status === 'completed', (query) => query.where('state', '=', 'completed'))
    .$if(status === 'failed', (query) =>
      query.where((file) => file.or([file('state', '=', 'failed'), file.and({ state: 'receiving', given_up: 1 })])),
    )
    .$if(status === 'pending' || status === 'uploading', (query) =>
      query
        .where('state', '=', 'receiving')
        .where('given_up', '=', 0)
        .where('received', status === 'pending' ? '=' : '>', 0),
    );
}

/** A file that its sender has given up counts as failed. */
function countedAs({ state, given_up }: { state: UploadFile['state']; given_up: 0 | 1 }): UploadFile['state'] {
  return state === 'receiving' && given_up === 1 ? 'failed' : state;
}

function toRestorable({ id, filename, size, video, tag_ids }: Selectable<Tables['removed_uploads']>): RestorableUpload {
  return { id, filename, size, video: JSON.parse(video) as StoredVideo, tagIds: JSON.parse(tag_ids) as string[] };
}
