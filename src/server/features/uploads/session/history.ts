import type { z } from 'zod';
import type { UploadHistory, uploadHistoryQuerySchema } from '#contract/entities/upload.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Executor } from '../../../database/tables.ts';
import { videoRemoved } from '../upload-file.ts';
import { countHistory, listHistory } from './history-repository.ts';
import { statusOf } from './progress.ts';

export async function readHistory(
  executor: Executor,
  userId: string,
  { status, page, limit }: z.output<typeof uploadHistoryQuerySchema>,
): Promise<UploadHistory> {
  const total = await countHistory(executor, userId, status);
  const files = await listHistory(executor, userId, { status, limit, offset: (page - 1) * limit });
  const uploads = files.map((file) => ({
    id: file.id,
    session_id: file.sessionId,
    filename: file.filename,
    size: file.size,
    status: statusOf(file),
    error: file.state === 'completed' && file.videoId === null ? videoRemoved : file.error,
    video_id: file.videoId,
    created_at: new Date(file.createdAt).toISOString(),
    completed_at: file.completedAt === null ? null : new Date(file.completedAt).toISOString(),
  }));
  return { uploads, total, total_pages: lastPageOf(total, limit), page, limit };
}
