import { isSameFile } from './file-identity.ts';
import type { QueuedUpload } from './queued-upload.ts';
import type { UploadBytes } from './upload-bytes.ts';
import { FileBytes, readBlob, StagedBytes } from './upload-bytes.ts';
import type { UploadPieces } from './upload-pieces.ts';
import { uploadPieces } from './upload-pieces.ts';

/** What only the person can do: allow the browser to read the file again, or pick it again. */
export type Missing = 'permission' | 'pick-again';

type ReadMode = { mode: 'read' };

/** Only files that the person picked are asked for; those of the app's own file system have no such methods. */
type Handle = FileSystemFileHandle & {
  queryPermission?(mode: ReadMode): Promise<PermissionState>;
  requestPermission?(mode: ReadMode): Promise<PermissionState>;
};

/** The bytes of a stored file, after a reload: it can be read, and is the one that was chosen. */
export function openBytes(upload: QueuedUpload, pieces: UploadPieces = uploadPieces): Promise<UploadBytes | Missing> {
  switch (upload.source.kind) {
    case 'handle':
      return openHandle(upload, upload.source.handle);
    case 'staged':
      return orPickAgain(async () => trust(new StagedBytes(upload, pieces)));
    default:
      return Promise.resolve('pick-again');
  }
}

/** Asks for a stored file again: browsers do so only in answer to a press. */
export async function askPermission({ source }: QueuedUpload): Promise<boolean> {
  if (source.kind !== 'handle') return false;
  const handle: Handle = source.handle;
  try {
    return ((await handle.requestPermission?.({ mode: 'read' })) ?? 'granted') === 'granted';
  } catch {
    // No press, or the browser has forgotten the file.
    return false;
  }
}

/**
 * A file that was stored, or chosen before a while: Safari sends it as an empty one unless it is wrapped, which copies
 * nothing.
 * @throws where it cannot be read
 */
export async function trustFile(file: File): Promise<UploadBytes> {
  return trust(new FileBytes(new File([file], file.name, { type: file.type, lastModified: file.lastModified })));
}

async function openHandle(upload: QueuedUpload, handle: Handle): Promise<UploadBytes | Missing> {
  return orPickAgain(async () => {
    const state = (await handle.queryPermission?.({ mode: 'read' })) ?? 'granted';
    if (state === 'prompt') return 'permission';
    const file = await handle.getFile();
    const bytes = await trustFile(file);
    const isUnchanged = file.size === upload.size && file.lastModified === upload.lastModified;
    return isUnchanged || (await isSameFile(upload, bytes)) ? bytes : 'pick-again';
  });
}

/** Engines lose the bytes of files that look as if they were there: the first one is read. */
async function trust(bytes: UploadBytes): Promise<UploadBytes> {
  await readBlob(await bytes.slice(0, 1));
  return bytes;
}

async function orPickAgain(open: () => Promise<UploadBytes | Missing>): Promise<UploadBytes | Missing> {
  try {
    return await open();
  } catch {
    // Moved, deleted, denied or evicted.
    return 'pick-again';
  }
}
