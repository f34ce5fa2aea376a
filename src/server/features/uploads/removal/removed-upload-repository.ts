import type { Insertable, Selectable } from 'kysely';
import { countAll } from '../../../database/dialect.ts';
import type { RemovedUploadsTable } from '../../../database/tables/upload-tables.ts';
import type { Executor } from '../../../database/tables.ts';
import type { StoredVideo } from './stored-video-repository.ts';

/** A removed video whose bytes are there. */
export interface RemovedUpload {
  id: string;
  filename: string;
  size: number;
  video: StoredVideo;
  tagIds: string[];
}

export async function insertRemoved(transaction: Executor, row: Insertable<RemovedUploadsTable>): Promise<void> {
  await transaction.insertInto('removed_uploads').values(row).execute();
}

export async function findRemoved(executor: Executor, id: string): Promise<RemovedUpload | null> {
  const row = await executor.selectFrom('removed_uploads').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toRemovedUpload(row);
}

/** Its entries lead nowhere from then on. @returns null when somebody else was faster */
export async function deleteRemoved(transaction: Executor, id: string): Promise<RemovedUpload | null> {
  const row = await transaction.deleteFrom('removed_uploads').where('id', '=', id).returningAll().executeTakeFirst();
  return row === undefined ? null : toRemovedUpload(row);
}

/** All entries that led to a video wait for it to come back. */
export async function linkToRemoved(transaction: Executor, videoNumber: number, id: string): Promise<void> {
  await transaction
    .updateTable('upload_files')
    .set({ removed_upload: id })
    .where('video_number', '=', videoNumber)
    .execute();
}

/** They lead to the video again, also those that were deleted with it. */
export async function linkToVideo(transaction: Executor, id: string, videoNumber: number): Promise<void> {
  await transaction
    .updateTable('upload_files')
    .set({ video_number: videoNumber, removed_upload: null, removed_at: null })
    .where('removed_upload', '=', id)
    .execute();
}

/** Its bytes count in nobody's quota any more. */
export async function releaseStorage(transaction: Executor, id: string): Promise<void> {
  await transaction
    .updateTable('upload_files')
    .set({ stored_bytes: 0, removed_upload: null })
    .where('removed_upload', '=', id)
    .execute();
}

/** Whose quota the bytes of a video count in; null for nobody's. */
export async function findStoringUser(executor: Executor, videoNumber: number): Promise<string | null> {
  const row = await executor
    .selectFrom('upload_files')
    .select('user_id')
    .where('video_number', '=', videoNumber)
    .where('stored_bytes', '>', 0)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** What administrators read of one. Names are null where the account is gone. */
export interface ListedRemoval {
  id: string;
  filename: string;
  size: number;
  uploadedBy: string | null;
  removedBy: string | null;
  /** Epoch milliseconds. */
  removedAt: number;
}

/** The latest first. */
export async function listRemoved(
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
}

export async function countRemoved(executor: Executor): Promise<number> {
  const { count } = await executor
    .selectFrom('removed_uploads')
    .select(countAll().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The ids of those that were removed before an instant. */
export async function listRemovedBefore(executor: Executor, before: number, limit: number): Promise<string[]> {
  const rows = await executor
    .selectFrom('removed_uploads')
    .select('id')
    .where('removed_at', '<=', before)
    .orderBy('removed_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

function toRemovedUpload({ id, filename, size, video, tag_ids }: Selectable<RemovedUploadsTable>): RemovedUpload {
  return { id, filename, size, video: JSON.parse(video) as StoredVideo, tagIds: JSON.parse(tag_ids) as string[] };
}
