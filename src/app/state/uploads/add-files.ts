import { now } from '#app/platform/timers.ts';
import { duplicateFile, unreadableFile } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkUploadFile } from '#contract/rules/upload-file.ts';
import type { UploadDraft } from '#device/uploads/new-upload.ts';
import { newBatch, newUpload } from '#device/uploads/new-upload.ts';
import type { Rejection, UploadBatch } from '#device/uploads/queued-upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { pickedFiles } from './picked-files.ts';
import type { PickedFile } from './upload-queue.ts';
import { uploads } from './uploads-state.ts';

/** Stores chosen files, to be sent when their person says so. @returns the new files' ids, and what is refused */
export async function addFiles(
  userId: string,
  files: readonly PickedFile[],
): Promise<{ ids: string[]; refused: Rejection[] }> {
  const refused: Rejection[] = [];
  const drafts: UploadDraft[] = [];
  const listed = await readUnfinished(userId);
  for (const picked of files) {
    const { name: filename, size: bytes } = picked.file;
    const isListed = [...listed, ...drafts].some((one) => isAlike(one, picked.file));
    const reason = checkUploadFile({ filename, bytes }) ?? (isListed ? duplicateFile : null);
    const draft = reason === null ? await draftOf(picked) : null;
    if (draft) drafts.push(draft);
    else refused.push({ filename, reason: reason ?? unreadableFile });
  }
  await storeDrafts(userId, drafts);
  return { ids: drafts.map(({ id }) => id), refused };
}

async function readUnfinished(userId: string): Promise<UploadDraft[]> {
  const batches = await uploadStore.list(userId);
  return batches.flatMap(({ uploads: all }) => all.filter(({ state }) => state === 'pending' || state === 'uploading'));
}

function isAlike(one: UploadDraft, { name, size, lastModified }: File): boolean {
  return one.name === name && one.size === size && one.lastModified === lastModified;
}

/** Null: the device cannot read it. */
async function draftOf({ file, handle }: PickedFile): Promise<UploadDraft | null> {
  const source = handle ? ({ kind: 'handle', handle } as const) : ({ kind: 'picked-again' } as const);
  const draft = newUpload(file, { batchId: '', source, createdAt: now() });
  try {
    await pickedFiles.hold(draft.id, file);
    return draft;
  } catch {
    // A folder, or a file that has gone since it was chosen.
    return null;
  }
}

/** One that is kept for some time only takes its files along when it goes. */
function isDraft({ state, keptUntil }: UploadBatch): boolean {
  return state === 'draft' && keptUntil === null;
}

/** Into the batch that is being chosen, while it has room, and into further ones. */
async function storeDrafts(userId: string, drafts: readonly UploadDraft[]): Promise<void> {
  const most = limits.uploadFilesPerSession;
  const batches = await uploadStore.list(userId);
  const open = batches.find(({ batch, uploads: files }) => isDraft(batch) && files.length < most);
  let stored = 0;
  if (open) {
    const fitting = drafts.slice(0, most - open.uploads.length);
    if (await uploadStore.append(open.batch.id, fitting)) stored = fitting.length;
  }
  for (; stored < drafts.length; stored += most) {
    const batch = newBatch({ userId, createdAt: now(), tagIds: [...uploads.tagIds] });
    await uploadStore.add(batch, drafts.slice(stored, stored + most));
  }
}
