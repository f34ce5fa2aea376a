import type { Executor } from '../../../database/tables.ts';
import type { UploadFile } from '../upload-file.ts';
import { toUploadFile } from '../upload-file.ts';

/** An entry of somebody's history, with the video that it leads to. */
export interface HistoryEntry {
  file: UploadFile;
  /** Null: there is none, or none any more. `isUpload`: it is none of a library folder. */
  video: { number: number; isUpload: boolean } | null;
}

/** Null also for one that was deleted. */
export async function findEntry(executor: Executor, id: string): Promise<HistoryEntry | null> {
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
}

/** The oldest of the other entries that lead to a video; null: there is none. */
export async function findHeir(executor: Executor, videoNumber: number, exceptId: string): Promise<string | null> {
  const row = await executor
    .selectFrom('upload_files')
    .select('id')
    .where('video_number', '=', videoNumber)
    .where('id', '!=', exceptId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** From now on another entry stands for the bytes, if this one did. */
export async function passStorage(transaction: Executor, fromId: string, toId: string): Promise<void> {
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
}

/** It is in nobody's history any more, and leads nowhere. */
export async function deleteEntry(transaction: Executor, id: string, now: number): Promise<void> {
  await transaction
    .updateTable('upload_files')
    .set({ removed_at: now, video_number: null })
    .where('id', '=', id)
    .execute();
}

/** Entries that were deleted before an instant, and are not needed to bring a video back. @returns how many */
export async function forgetEntries(transaction: Executor, before: number, limit: number): Promise<number> {
  const old = transaction
    .selectFrom('upload_files')
    .select('id')
    .where('removed_at', '<=', before)
    .where('removed_upload', 'is', null)
    .limit(limit);
  const rows = await transaction.deleteFrom('upload_files').where('id', 'in', old).returning('id').execute();
  return rows.length;
}
