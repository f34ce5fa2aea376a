import type { PastUpload, UploadStats } from '#contract/entities/upload.ts';
import { countAll } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import type { UploadFile } from '../upload-file.ts';
import { toUploadFile } from '../upload-file.ts';

type Status = PastUpload['status'];

function filesOf(executor: Executor, userId: string, status: Status | undefined) {
  return executor
    .selectFrom('upload_files')
    .where('upload_files.user_id', '=', userId)
    .where('removed_at', 'is', null)
    .$if(status === 'completed' || status === 'failed', (query) => query.where('state', '=', status as 'completed'))
    .$if(status === 'pending', (query) => query.where('state', '=', 'receiving').where('received', '=', 0))
    .$if(status === 'uploading', (query) => query.where('state', '=', 'receiving').where('received', '>', 0));
}

export async function countHistory(executor: Executor, userId: string, status?: Status): Promise<number> {
  const { count } = await filesOf(executor, userId, status).select(countAll().as('count')).executeTakeFirstOrThrow();
  return count;
}

/** The latest first; `videoId` is null for what is no video, or none any more. */
export async function listHistory(
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
}

/** Of what is there. @param userId null: of everybody */
export async function readStats(executor: Executor, userId: string | null): Promise<UploadStats> {
  const rows = await executor
    .selectFrom('upload_files')
    .select(['state', countAll().as('count')])
    .select((row) => row.fn.sum<number | string>('received').as('bytes'))
    .where('removed_at', 'is', null)
    .where((row) => row.or([row('state', '!=', 'completed'), row('video_number', 'is not', null)]))
    .$if(userId !== null, (query) => query.where('user_id', '=', userId))
    .groupBy('state')
    .execute();
  const countOf = (state: UploadFile['state']) => rows.find((row) => row.state === state)?.count ?? 0;
  return {
    files: rows.reduce((sum, { count }) => sum + count, 0),
    bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
    completed: countOf('completed'),
    failed: countOf('failed'),
    in_progress: countOf('receiving'),
  };
}
