import type { UploadRow, UploadStatus, UploadWait } from '#app/state/uploads/uploads-state.ts';

export const waiting = (reason: UploadWait): UploadStatus => ({ kind: 'waiting', reason });
export const uploading: UploadStatus = { kind: 'uploading', resumedAt: null };
export const completed: UploadStatus = { kind: 'completed', videoId: 'video', note: null };
export const failed: UploadStatus = { kind: 'failed', message: 'Upload failed: 403 Forbidden' };

let number = 0;

/** A file in the list, in the batch `batch`. */
export function uploadRow(status: UploadStatus, facts: Partial<UploadRow> = {}): UploadRow {
  number += 1;
  return {
    id: `upload-${number}`,
    batchId: 'batch',
    name: `Clip ${number}.mp4`,
    size: 1_000,
    acknowledgedBytes: 0,
    speed: null,
    secondsLeft: null,
    resumesByItself: true,
    status,
    ...facts,
  };
}
