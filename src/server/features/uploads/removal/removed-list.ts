import type { z } from 'zod';
import type { RemovedUpload, RemovedUploadList, removedUploadListQuerySchema } from '#contract/entities/upload.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Executor } from '../../../database/tables.ts';
import { keptMs } from './purge-upload.ts';
import type { ListedRemoval } from './removed-upload-repository.ts';
import { countRemoved, listRemoved } from './removed-upload-repository.ts';

/** The latest first. */
export async function readRemovedPage(
  executor: Executor,
  { page, limit }: z.output<typeof removedUploadListQuerySchema>,
): Promise<RemovedUploadList> {
  const total = await countRemoved(executor);
  const rows = await listRemoved(executor, { limit, offset: (page - 1) * limit });
  return { uploads: rows.map(toRemovedUpload), total, total_pages: lastPageOf(total, limit), page, limit };
}

function toRemovedUpload({ id, filename, size, uploadedBy, removedBy, removedAt }: ListedRemoval): RemovedUpload {
  return {
    id,
    filename,
    size,
    uploaded_by: uploadedBy,
    removed_by: removedBy,
    removed_at: new Date(removedAt).toISOString(),
    kept_until: new Date(removedAt + keptMs).toISOString(),
  };
}
