import { subscribe } from 'valtio/vanilla';
import type { PickedHandle } from '#app/platform/file-access.ts';
import { droppedEntry, droppedHandle, pickFolderHandle } from '#app/platform/file-access.ts';
import type { PickedFile } from '#app/state/uploads/uploads-state.ts';
import { claimOpenedFiles, openedFiles } from '#app/state/view-requests.ts';
import { failures, messageOf } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkExtension } from '#contract/rules/upload-file.ts';
import type { Rejection } from '#device/uploads/queued-upload.ts';
import { addFiles, showAlert } from './upload-store.ts';

export async function addDropped(data: DataTransfer): Promise<void> {
  await addFound('Upload Videos', () => readDropped(data));
}

export async function addPasted(files: FileList): Promise<void> {
  await addFiles(withoutHandles(files));
}

/** Opens a folder picker, and adds the videos of the folder. */
export async function addFolder(): Promise<void> {
  const folder = await pickFolderHandle();
  if (folder === null) return;
  await addFound(folder.name, async () => {
    const walk = new FolderWalk();
    await walk.addHandle(folder);
    return walk;
  });
}

/** Adds the found files. An alert says what cannot be read, or that there is no video. */
async function addFound(name: string, find: () => ReturnType<typeof readDropped>): Promise<void> {
  try {
    const { files, unread } = await find();
    if (files.length + unread.length === 0) showAlert(name, 'There is no video in it.');
    else await addFiles(files, unread);
  } catch (error) {
    showAlert(name, messageOf(error));
  }
}

/**
 * Adds the files that the system has opened with the app, now and later. Returns a function that
 * stops it.
 */
export function watchOpenedFiles(): () => void {
  void addOpened();
  return subscribe(openedFiles, () => void addOpened());
}

async function addOpened(): Promise<void> {
  const files: PickedFile[] = [];
  for (const handle of claimOpenedFiles()) {
    try {
      files.push({ file: await handle.getFile(), handle });
    } catch (error) {
      showAlert(handle.name, messageOf(error));
    }
  }
  await addFiles(files);
}

interface Dropped {
  handle: Promise<PickedHandle | null> | null;
  entry: FileSystemEntry | null;
  file: File | null;
}

/**
 * The files of a drop, including those in folders. The items are read at once: they are not
 * available after the event.
 */
async function readDropped(data: DataTransfer): Promise<Pick<FolderWalk, 'files' | 'unread'>> {
  const items = Array.from(data.items ?? []).filter(({ kind }) => kind === 'file');
  const dropped = items.map((item): Dropped => {
    return { handle: droppedHandle(item), entry: droppedEntry(item), file: item.getAsFile() };
  });
  if (dropped.length === 0) return { files: withoutHandles(data.files), unread: [] };
  const walk = new FolderWalk();
  for (const one of dropped) await collectDropped(walk, one);
  return walk;
}

export function withoutHandles(files: ArrayLike<File>): PickedFile[] {
  return Array.from(files).map((file) => ({ file, handle: null }));
}

async function collectDropped(walk: FolderWalk, { handle, entry, file }: Dropped): Promise<void> {
  const found = await handle;
  if (found) await walk.addHandle(found);
  else if (entry?.isDirectory) await walk.addEntry(entry);
  else if (file) walk.files.push({ file, handle: null });
}

/** The deepest level of folders that is read. */
const maxDepth = 16;
/** The most files and folders that are read in one drop. */
const maxVisited = 20_000;

/**
 * Collects the videos of chosen or dropped items. A file that was chosen itself is always included,
 * and refused later with a reason; folders contribute only videos.
 */
class FolderWalk {
  readonly files: PickedFile[] = [];
  /** Files and folders that cannot be read, such as those of another user. */
  readonly unread: Rejection[] = [];
  private visited = 0;

  /** Whether the walk ends: one file beyond the limit is enough to report it. */
  private get isFull(): boolean {
    return this.visited >= maxVisited || this.files.length > limits.uploadFilesPerSession;
  }

  async addHandle(handle: PickedHandle, depth = 0): Promise<void> {
    if (!this.visit(handle, depth)) return;
    try {
      if (handle.kind === 'file') {
        if (isWanted(handle.name, depth)) this.files.push({ file: await handle.getFile(), handle });
        return;
      }
      for await (const child of handle.values()) {
        await this.addHandle(child, depth + 1);
        if (this.isFull) return;
      }
    } catch {
      this.refuse(handle);
    }
  }

  async addEntry(entry: FileSystemEntry, depth = 0): Promise<void> {
    if (!this.visit(entry, depth)) return;
    try {
      if (entry.isFile) {
        if (isWanted(entry.name, depth))
          this.files.push({ file: await fileOf(entry as FileSystemFileEntry), handle: null });
        return;
      }
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      for (let some = await readSome(reader); some.length > 0 && !this.isFull; some = await readSome(reader))
        for (const child of some) await this.addEntry(child, depth + 1);
    } catch {
      this.refuse(entry);
    }
  }

  private refuse({ name }: { name: string }): void {
    this.unread.push({ filename: name, reason: failures.unreadableFile });
  }

  /** Hidden files and folders are left out: the trash of a disk, and companions of files of a Mac. */
  private visit({ name }: { name: string }, depth: number): boolean {
    if (this.isFull || depth > maxDepth || (depth > 0 && name.startsWith('.'))) return false;
    this.visited += 1;
    return true;
  }
}

function isWanted(name: string, depth: number): boolean {
  return depth === 0 || checkExtension(name) === null;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Reads the next entries, at most 100 in some engines; an empty list is the end. */
function readSome(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}
