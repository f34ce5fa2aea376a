import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { readRefusal } from '#app/ui/form/form.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listRemovedUploads, purgeUpload, restoreUpload } from '#contract/endpoints.ts';
import type { RemovedUpload } from '#contract/entities/upload.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { library } from './library-store.ts';

const limit = limits.uploadsPerPage;

/** Uploaded videos that somebody removed and that can be brought back. */
export const removedUploads = createPagedList<RemovedUpload, object>({
  limit,
  filters: {},
  load: async ({ page }, signal) => {
    const { uploads, total } = await call(listRemovedUploads, { query: { page, limit }, signal });
    return { items: uploads, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadRemovedUploads,
});

/** Why one could not be brought back or deleted. */
export const removedRefusal = proxy<{ sentence: string | null }>({ sentence: null });

export async function bringBack(id: string): Promise<void> {
  await leaveList(id, () => call(restoreUpload, { params: { id } }));
  void library.reload();
}

/** Its bytes go now. */
export async function deleteNow(id: string): Promise<void> {
  await leaveList(id, () => call(purgeUpload, { params: { id } }));
}

async function leaveList(id: string, send: () => Promise<unknown>): Promise<void> {
  removedRefusal.sentence = null;
  try {
    await removedUploads.change((items) => items.filter((item) => item.id !== id), send);
  } catch (error) {
    removedRefusal.sentence = readRefusal(error);
  }
}
