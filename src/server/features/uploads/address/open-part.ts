import { Refusal } from '../../../http/pipeline/errors.ts';
import type { GrowingFile, Storage } from '../../../storage/storage.ts';
import type { UploadLock } from '../lock/upload-locks.ts';
import type { UploadFile } from '../upload-file.ts';
import { partName, storedName } from '../upload-file.ts';

/**
 * Opens the bytes that have come so far, as far as they can be trusted: what it holds is on the disk. A file that was on
 * its way to the library when its process died is brought back.
 */
export async function openPart(storage: Storage, file: UploadFile, lock: UploadLock): Promise<GrowingFile> {
  const { isSuspect, durable, state } = lock.found;
  // It may have ended while this request waited.
  if (state !== 'receiving') throw new Refusal('gone');
  await bringBack(storage, file);
  const part = await storage.openGrowing(partName(file));
  try {
    if (isSuspect && part.size > durable) await part.truncate(durable);
    await syncOrMark(part, lock, Math.min(part.size, durable));
    if (isSuspect || durable !== part.size) await lock.renew({ durable: part.size, suspect: 0 });
    return part;
  } catch (error) {
    await part.close();
    throw error;
  }
}

/** What was not synced may be lost although the file has its length: whoever opens it next cuts it off. */
export async function syncOrMark(part: GrowingFile, lock: UploadLock, durable: number): Promise<void> {
  try {
    await part.sync();
  } catch (error) {
    await lock.renew({ durable, suspect: 1 });
    throw error;
  }
}

async function bringBack(storage: Storage, file: UploadFile): Promise<void> {
  const stored = storedName(file);
  if ((await storage.size(partName(file))) !== null || (await storage.size(stored)) === null) return;
  await storage.rename(stored, partName(file));
}
