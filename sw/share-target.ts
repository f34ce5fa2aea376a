import { noRoomForFile } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkFileCount, checkFilename, checkUploadFile } from '#contract/rules/upload-file.ts';
import { shareAction } from '#contract/server-paths.ts';
import type { FactStore } from '#device/facts.ts';
import { facts } from '#device/facts.ts';
import { newRandomId } from '#device/random-id.ts';
import { now } from '#device/timers.ts';
import { newBatch, newUpload } from '#device/uploads/new-upload.ts';
import type { QueuedUpload, Rejection } from '#device/uploads/queued-upload.ts';
import { Staging } from '#device/uploads/staging.ts';
import { FileBytes } from '#device/uploads/upload-bytes.ts';
import type { UploadStore } from '#device/uploads/upload-store.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';

/** As the manifest names it: what comes under another name is not there. */
const sharedFilesField = 'files';

const hourMs = 3_600_000;

interface ShareStores {
  store: UploadStore;
  staging: Staging;
  facts: Pick<FactStore, 'read'>;
}

export function isShare(url: URL): boolean {
  return url.pathname === shareAction;
}

/**
 * Files that another app shares into this one. They are stored before the page opens, so that they are there whatever
 * becomes of the worker, and whether or not anybody is signed in.
 * @returns the way to the page that lists them; where none could be stored, it finds nothing under this id
 */
export async function receiveShare(
  request: Request,
  stores: ShareStores = { store: uploadStore, staging: new Staging(), facts },
): Promise<Response> {
  const { origin } = new URL(request.url);
  if (isForeign(request, origin)) return new Response('This was sent by another site.', { status: 403 });
  const id = newRandomId();
  try {
    const form = await request.formData();
    await storeShared(id, form.getAll(sharedFilesField).filter(isFile), stores);
  } catch {
    // No form, or a database that fails: the page says that nothing is there.
  }
  return Response.redirect(`${origin}/?share=${id}`, 303);
}

/** The system itself has no origin to name, and neither has a page that hides its own: nothing is sent unasked. */
function isForeign({ headers, referrer }: Request, origin: string): boolean {
  const sender = headers.get('origin') ?? 'null';
  if (sender !== 'null') return sender !== origin;
  return referrer.startsWith('http') && new URL(referrer).origin !== origin;
}

async function storeShared(id: string, files: readonly File[], { store, staging, facts }: ShareStores): Promise<void> {
  if (files.length === 0) return;
  const createdAt = now();
  await store.sweep(createdAt);
  const userId = (await facts.read('viewer'))?.userId ?? null;
  const untilClaimed = createdAt + limits.sharedFilesHours * hourMs;
  const batch = newBatch({ id, userId, createdAt, keptUntil: userId === null ? untilClaimed : null });
  const { accepted, rejections } = checkFiles(files);
  const drafts = accepted.map((file) => newUpload(file, { batchId: id, source: { kind: 'picked-again' }, createdAt }));
  const { uploads } = await store.add(batch, drafts);
  for (const [at, file] of accepted.entries()) {
    const upload = uploads[at] as QueuedUpload;
    if (await isStaged(staging, upload, file)) continue;
    await store.removeUpload(upload.id);
    rejections.push({ filename: file.name, reason: noRoomForFile });
  }
  if (rejections.length === 0 || (await store.updateBatch(id, { rejections }))) return;
  // All of them were refused: only why is left.
  await store.add({ ...batch, keptUntil: untilClaimed, rejections }, []);
}

/** The same as for files that are picked. */
function checkFiles(files: readonly File[]): { accepted: File[]; rejections: Rejection[] } {
  const accepted: File[] = [];
  const rejections: Rejection[] = [];
  for (const file of files) {
    const { name: filename, size: bytes } = file;
    const reason =
      checkFilename(filename) ?? checkUploadFile({ filename, bytes }) ?? checkFileCount(accepted.length + 1);
    if (reason === null) accepted.push(file);
    else rejections.push({ filename, reason });
  }
  return { accepted, rejections };
}

/** What is shared is lost with the worker unless all of it was copied. */
async function isStaged(staging: Staging, upload: QueuedUpload, file: File): Promise<boolean> {
  try {
    if (!(await staging.hasRoom(upload))) return false;
    return (await staging.stage(upload, new FileBytes(file)))?.source.kind === 'staged';
  } catch {
    return false; // full, or not readable
  }
}

function isFile(value: FormDataEntryValue): value is File {
  return typeof value !== 'string';
}
