import type { z } from 'zod';
import type { UploadHistory, uploadHistoryQuerySchema } from '#contract/entities/upload.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Executor } from '../../../database/tables.ts';
import type { UploadFile } from '../upload-file.ts';
import { notArrived, videoRemoved } from '../upload-file.ts';
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
    status: file.isGivenUp ? ('failed' as const) : statusOf(file),
    error: describe(file),
    video_id: file.videoId,
    created_at: new Date(file.createdAt).toISOString(),
    completed_at: file.completedAt === null ? null : new Date(file.completedAt).toISOString(),
  }));
  return { uploads, total, total_pages: lastPageOf(total, limit), page, limit };
}

/** Why it is no video, in words for its owner; null when it is one, or may become one. */
function describe({ state, videoId, isGivenUp, error }: UploadFile & { videoId: string | null }): string | null {
  if (state === 'completed' && videoId === null) return videoRemoved;
  return isGivenUp ? notArrived : error;
}
