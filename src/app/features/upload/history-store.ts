import { proxy, subscribe } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Resource } from '#app/ui/resource.ts';
import { deleteUploadedFile, listUploadHistory, readUploadStats } from '#contract/endpoints.ts';
import type { PastUpload, UploadStats } from '#contract/entities/upload.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';

export type HistoryStatus = PastUpload['status'] | 'all';

/** The signed-in user's uploads, latest first. */
export const history = createPagedList<PastUpload, { status: HistoryStatus }>({
  limit: limits.uploadsPerPage,
  filters: { status: 'all' },
  load: async ({ page, filters: { status } }, signal) => {
    const query = { page, limit: limits.uploadsPerPage, ...(status !== 'all' && { status }) };
    const { uploads: items, total } = await call(listUploadHistory, { query, signal });
    return { items, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadUploads,
});

export const uploadStats = new Resource<UploadStats>({
  load: (signal) => call(readUploadStats, { query: {}, signal }),
  toSentence: failures.loadUploads,
});

export const deletion = proxy<{
  asked: { id: string; filename: string; hasVideo: boolean } | null;
  failure: string | null;
}>({
  asked: null,
  failure: null,
});

/**
 * Opens list and totals, which are read again when a file is done. Returns a function that closes
 * them.
 */
export function openHistory(): () => void {
  let done = countDone();
  const stops = [
    history.open(),
    uploadStats.open(),
    subscribe(uploads, () => {
      const count = countDone();
      if (count > done) reload();
      done = count;
    }),
    cancelDeletion,
    dismissDeletionFailure,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

export function askToDelete({ id, filename, video_id }: PastUpload): void {
  deletion.asked = { id, filename, hasVideo: video_id !== null };
}

export function cancelDeletion(): void {
  deletion.asked = null;
}

export function dismissDeletionFailure(): void {
  deletion.failure = null;
}

/** Deletes the upload. The row disappears at once, and returns when the server refuses. */
export async function deleteAsked(): Promise<void> {
  const { asked } = deletion;
  if (asked === null) return;
  Object.assign(deletion, { asked: null, failure: null });
  const without = (items: readonly PastUpload[]) => items.filter(({ id }) => id !== asked.id);
  try {
    await history.change(without, () => call(deleteUploadedFile, { params: { id: asked.id } }));
    void uploadStats.reload();
  } catch (error) {
    deletion.failure = failures.deleteUpload(error);
  }
}

function countDone(): number {
  return uploads.rows.filter(({ status }) => status.kind === 'completed' || status.kind === 'failed').length;
}

function reload(): void {
  void history.reload();
  void uploadStats.reload();
}
