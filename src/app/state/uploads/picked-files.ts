import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkUploadFile } from '#contract/rules/upload-file.ts';
import { now } from '#device/timers.ts';
import type { Missing } from '#device/uploads/open-bytes.ts';
import { openBytes, readIdentity, trustFile } from '#device/uploads/open-bytes.ts';
import type { FileIdentity, QueuedUpload, Rejection, UploadBatch, UploadDraft } from '#device/uploads/queued-upload.ts';
import { newBatch, newUpload } from '#device/uploads/queued-upload.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { Staging } from '#device/uploads/upload-bytes.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import type { PickedFile } from './uploads-state.ts';
import { uploads } from './uploads-state.ts';

/** Stores one choice after another: each is compared with the files of the choices before it. */
let last: Promise<unknown> = Promise.resolve();

interface StoredFiles {
  /** The ids of the new files. */
  ids: string[];
  refused: Rejection[];
}

/** Stores chosen files, which are sent when their owner starts the upload. */
export function storePickedFiles(userId: string, files: readonly PickedFile[]): Promise<StoredFiles> {
  const stored = last.then(() => storeFiles(userId, files));
  last = stored.catch(() => {}); // its caller handles it
  return stored;
}

async function storeFiles(userId: string, files: readonly PickedFile[]): Promise<StoredFiles> {
  const refused: Rejection[] = [];
  const drafts: UploadDraft[] = [];
  const listed = await readUnfinished(userId);
  for (const picked of files) {
    const { name: filename, size: bytes } = picked.file;
    const isListed = [...listed, ...drafts].some((one) => isAlike(one, picked.file));
    const reason = checkUploadFile({ filename, bytes }) ?? (isListed ? failures.duplicateFile : null);
    const draft = reason === null ? await draftOf(picked) : null;
    if (draft) drafts.push(draft);
    else refused.push({ filename, reason: reason ?? failures.unreadableFile });
  }
  await storeDrafts(userId, drafts);
  return { ids: drafts.map(({ id }) => id), refused };
}

const unfinished: readonly QueuedUpload['state'][] = ['pending', 'uploading', 'sent'];

/** The unfinished files in the list. A batch that is being cancelled has left it. */
async function readUnfinished(userId: string): Promise<UploadDraft[]> {
  const batches = await uploadStore.list(userId);
  const listed = batches.filter(({ batch }) => batch.state !== 'cancelling');
  return listed.flatMap(({ uploads: all }) => all.filter(({ state }) => unfinished.includes(state)));
}

function isAlike(one: UploadDraft, { name, size, lastModified }: File): boolean {
  return one.name === name && one.size === size && one.lastModified === lastModified;
}

/** Null when the device cannot read the file. */
async function draftOf({ file, handle }: PickedFile): Promise<UploadDraft | null> {
  const source = handle ? ({ kind: 'handle', handle } as const) : ({ kind: 'picked-again' } as const);
  const draft = newUpload(file, { batchId: '', source, createdAt: now() });
  try {
    await pickedFiles.hold(draft.id, file);
    return draft;
  } catch {
    // A folder, or a file that was deleted after it was chosen.
    return null;
  }
}

/**
 * Whether files can be added to a batch. A batch that expires is left out, as it deletes its files.
 */
function isDraft({ state, keptUntil }: UploadBatch): boolean {
  return state === 'draft' && keptUntil === null;
}

/** Stores files in the batch that is being chosen while it has room, and in further batches. */
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

/**
 * The files that were chosen in this page, which can read them without a copy and without
 * permission.
 */
class PickedFiles {
  private readonly files = new Map<string, File>();
  private preparing: Promise<void> = Promise.resolve();

  /** @throws when the device cannot read it */
  async hold(id: string, file: File): Promise<void> {
    await trustFile(file);
    this.files.set(id, file);
  }

  fileOf(id: string): File | undefined {
    return this.files.get(id);
  }

  /**
   * Opens the bytes of a file from any available source. The file's identity is computed before its
   * first byte is sent.
   */
  async open(upload: QueuedUpload): Promise<UploadBytes | Missing> {
    const bytes = (await this.read(upload.id)) ?? (await openBytes(upload));
    if (typeof bytes === 'string' || upload.identity) return bytes;
    return (await this.identify(upload.id, bytes)) ? bytes : 'pick-again';
  }

  /**
   * Computes the identity of each file, and copies the files that could not be read again after a
   * reload, one after another in the background. `onChange` runs after each file.
   */
  prepare(ids: readonly string[], onChange: () => void): void {
    for (const id of ids)
      this.preparing = this.preparing
        .then(() => this.prepareOne(id))
        .then(onChange)
        .catch(ignoreFullDevice);
  }

  private async prepareOne(id: string): Promise<void> {
    const bytes = await this.read(id);
    const known = bytes ? await this.identify(id, bytes) : null;
    if (!bytes || !known || known.state === 'completed') return;
    const staging = new Staging();
    if (await staging.hasRoom(known)) await staging.stage(known, bytes);
  }

  /** Null when the file was removed from the list, or cannot be read. */
  private async identify(id: string, bytes: UploadBytes): Promise<QueuedUpload | null> {
    const identity = await readIdentity(bytes).catch((): FileIdentity | null => null);
    return identity && uploadStore.updateUpload(id, { identity });
  }

  /** Reads a file that was chosen in this page; null when the engine has lost it. */
  private async read(id: string): Promise<UploadBytes | null> {
    const file = this.files.get(id);
    const bytes = file ? await trustFile(file).catch(() => null) : null;
    if (!bytes) this.files.delete(id);
    return bytes;
  }
}

/** A file without a copy has to be chosen again after a reload, as its row says. */
function ignoreFullDevice(): void {}

export const pickedFiles = new PickedFiles();
