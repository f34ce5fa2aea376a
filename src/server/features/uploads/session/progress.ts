import type { FileProgress, PastUpload, UploadProgress } from '#contract/entities/upload.ts';
import type { Executor } from '../../../database/tables.ts';
import type { UploadFile, UploadSession } from '../upload-file.ts';
import { expiryOf } from '../upload-file.ts';
import { listFiles } from './session-repository.ts';

/** @param now epoch milliseconds */
export async function readProgress(executor: Executor, session: UploadSession, now: number): Promise<UploadProgress> {
  const files = await listFiles(executor, session.id);
  return { session_id: session.id, status: statusOfSession(session, now), files: files.map(toProgress) };
}

/** What was cancelled cannot go on either. */
function statusOfSession(session: UploadSession, now: number): UploadProgress['status'] {
  if (session.state === 'completed') return 'completed';
  return session.state === 'open' && expiryOf(session) > now ? 'open' : 'expired';
}

function toProgress(file: UploadFile): FileProgress {
  const uploadedBytes = file.state === 'completed' ? file.size : Math.min(file.received, file.size);
  return {
    id: file.id,
    filename: file.filename,
    status: statusOf(file),
    percentage: (uploadedBytes / file.size) * 100,
    uploadedBytes,
    totalBytes: file.size,
    speed: file.speed,
    eta: file.speed === 0 ? null : (file.size - uploadedBytes) / file.speed,
    error: file.error,
  };
}

/** What has come whole goes on 'uploading' until it is a video. */
export function statusOf({ state, received }: Pick<UploadFile, 'state' | 'received'>): PastUpload['status'] {
  if (state !== 'receiving') return state;
  return received === 0 ? 'pending' : 'uploading';
}
