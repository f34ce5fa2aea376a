import type { PickedHandle } from '#app/platform/file-access.ts';
import { droppedEntry, droppedHandle } from '#app/platform/file-access.ts';
import type { PickedFile } from '#app/state/uploads/upload-queue.ts';
import { FolderWalk } from './walk-folders.ts';

interface Dropped {
  handle: Promise<PickedHandle | null> | null;
  entry: FileSystemEntry | null;
  file: File | null;
}

/**
 * The files of a drop, also those in folders. The items are read at once: they are gone when the event is over.
 * @throws when a file or folder cannot be read
 */
export async function readDropped(data: DataTransfer): Promise<PickedFile[]> {
  const items = Array.from(data.items ?? []).filter(({ kind }) => kind === 'file');
  const dropped = items.map((item): Dropped => {
    return { handle: droppedHandle(item), entry: droppedEntry(item), file: item.getAsFile() };
  });
  if (dropped.length === 0) return withoutHandles(data.files);
  const walk = new FolderWalk();
  for (const one of dropped) await addDropped(walk, one);
  return walk.files;
}

export function withoutHandles(files: ArrayLike<File>): PickedFile[] {
  return Array.from(files).map((file) => ({ file, handle: null }));
}

async function addDropped(walk: FolderWalk, { handle, entry, file }: Dropped): Promise<void> {
  const found = await handle;
  if (found) await walk.addHandle(found);
  else if (entry?.isDirectory) await walk.addEntry(entry);
  else if (file) walk.files.push({ file, handle: null });
}
