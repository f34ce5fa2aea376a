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
}

/** A file that its sender has given up is a failed one. */
function countedAs({ state, given_up }: { state: UploadFile['state']; given_up: 0 | 1 }): UploadFile['state'] {
  return state === 'receiving' && given_up === 1 ? 'failed' : state;
}
