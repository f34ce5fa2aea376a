import type { PickedHandle } from '#app/platform/file-access.ts';
import type { PickedFile } from '#app/state/uploads/upload-queue.ts';
import { limits } from '#contract/limits.ts';
import { checkExtension } from '#contract/rules/upload-file.ts';

/** Folders in folders; what is deeper is left out. */
const maxDepth = 16;
/** Files and folders that are looked at in one drop. */
const maxVisited = 20_000;

/**
 * Collects the videos of what was chosen or dropped. A file that was named itself is taken whatever it is, and refused
 * later with a reason; of a folder only videos are.
 */
export class FolderWalk {
  readonly files: PickedFile[] = [];
  private visited = 0;

  /** Nothing more is looked at: one file beyond the limit is enough to say so. */
  private get isFull(): boolean {
    return this.visited >= maxVisited || this.files.length > limits.uploadFilesPerSession;
  }

  async addHandle(handle: PickedHandle, depth = 0): Promise<void> {
    if (!this.visit(depth)) return;
    if (handle.kind === 'file') {
      if (isWanted(handle.name, depth)) this.files.push({ file: await handle.getFile(), handle });
      return;
    }
    for await (const child of handle.values()) {
      await this.addHandle(child, depth + 1);
      if (this.isFull) return;
    }
  }

  async addEntry(entry: FileSystemEntry, depth = 0): Promise<void> {
    if (!this.visit(depth)) return;
    if (entry.isFile) {
      if (isWanted(entry.name, depth))
        this.files.push({ file: await fileOf(entry as FileSystemFileEntry), handle: null });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (let some = await readSome(reader); some.length > 0 && !this.isFull; some = await readSome(reader))
      for (const child of some) await this.addEntry(child, depth + 1);
  }

  private visit(depth: number): boolean {
    if (this.isFull || depth > maxDepth) return false;
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

/** An engine gives at most 100 at a time; none: that was all. */
function readSome(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}
