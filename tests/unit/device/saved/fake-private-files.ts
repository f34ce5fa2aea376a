/** What a test may do to the private files: fill the disk, or lose a file beneath the app. */
export interface FakePrivateFiles {
  /** Gives the root, as `navigator.storage.getDirectory()` does. */
  root(): Promise<FileSystemDirectoryHandle>;
  /** The paths of all files, such as `saved/v1/0`. */
  paths(): string[];
  lose(path: string): void;
  /** The bytes that still fit; a write beyond them fails as on a full disk. */
  free: number;
}

/** The origin's private file system in memory: a file holds what was written once it is closed. */
export function fakePrivateFiles(): FakePrivateFiles {
  const files = new Map<string, Blob>();
  const folders = new Set<string>();
  const fake: FakePrivateFiles = {
    root: async () => folderAt(''),
    paths: () => [...files.keys()].sort(),
    lose: (path) => void files.delete(path),
    free: Number.POSITIVE_INFINITY,
  };

  function folderAt(path: string): FileSystemDirectoryHandle {
    const handle = {
      async getDirectoryHandle(name: string, { create = false } = {}) {
        if (!create && !folders.has(`${path}${name}/`)) throw new DOMException('No folder', 'NotFoundError');
        folders.add(`${path}${name}/`);
        return folderAt(`${path}${name}/`);
      },
      async getFileHandle(name: string, { create = false } = {}) {
        const file = `${path}${name}`;
        if (!files.has(file)) {
          if (!create) throw new DOMException('No file', 'NotFoundError');
          files.set(file, new Blob([]));
        }
        return fileAt(file);
      },
      async removeEntry(name: string) {
        if (files.delete(`${path}${name}`)) return;
        if (!folders.delete(`${path}${name}/`)) throw new DOMException('No folder', 'NotFoundError');
        for (const file of fake.paths()) if (file.startsWith(`${path}${name}/`)) files.delete(file);
      },
      async *entries() {
        for (const file of fake.paths()) {
          const name = file.slice(path.length);
          if (file.startsWith(path) && !name.includes('/')) yield [name, fileAt(file)];
        }
      },
      async *keys() {
        for (const folder of folders) {
          const name = folder.slice(path.length, -1);
          if (folder.startsWith(path) && name !== '' && !name.includes('/')) yield name;
        }
      },
    };
    return handle as unknown as FileSystemDirectoryHandle;
  }

  function fileAt(path: string) {
    return {
      getFile: async () => files.get(path) ?? Promise.reject(new DOMException('No file', 'NotFoundError')),
      createWritable: async () => {
        let written = new Blob([]);
        return {
          async write(piece: Blob) {
            if (written.size + piece.size > fake.free) throw new DOMException('Full', 'QuotaExceededError');
            written = new Blob([written, piece]);
          },
          async close() {
            fake.free -= written.size;
            files.set(path, written);
          },
          abort: async () => {},
        };
      },
    };
  }

  return fake;
}
