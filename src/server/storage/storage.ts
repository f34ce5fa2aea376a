import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { DiskBytes } from './disk-space.ts';

/**
 * The server's own files, by names with slashes: a folder of a disk, or a store that all nodes
 * reach.
 */
export interface Storage {
  /** Null if the file does not exist. */
  find(name: string): Promise<StoredFile | null>;
  /** Every file whose name begins with the prefix, however deep. */
  list(prefix: string): AsyncIterable<ListedFile>;
  /** Stores a whole file and replaces an existing one. Readers never see a partial file. */
  put(name: string, bytes: AsyncIterable<Uint8Array>, content: FileContent): Promise<void>;
  /**
   * Gives a finished file of this machine a name, and replaces an existing one; the file itself is
   * gone afterwards. @param file absolute path
   */
  publish(file: string, name: string, type: string): Promise<void>;
  /** Does nothing if the file does not exist. */
  remove(name: string): Promise<void>;
  /** Reads a small file whole. Null if it does not exist. */
  read(name: string): Promise<Buffer | null>;
  /**
   * Opens a file for an answer that sends its bytes. A file that replaced the expected one is never
   * sent in its place.
   * @param window what is going to be read: a store is asked for no more, and for null not at all.
   * Absent: anything.
   */
  open(name: string, expected: ExpectedFile, window?: FileWindow | null): Promise<OpenedFile>;
  /**
   * A file of this machine with these bytes, for programs and threads. It stays until it is closed.
   * Null if there is none.
   */
  local(name: string, signal: AbortSignal): Promise<LocalFile | null>;
  /** Whether `local` has nothing to fetch for it at the moment. Absent on disks, where it never has. */
  isLocal?(name: string): boolean;
  /**
   * A file of this machine with the first bytes of a file and with its index, for a picture near its
   * beginning. Null where the whole file is no farther, or has to be read. Absent on disks.
   */
  localStart?(name: string, start: { size: number; bytes: number }, signal: AbortSignal): Promise<LocalFile | null>;
  /**
   * The address from which browsers fetch a file themselves, with its end as `expires`; null if the
   * server sends it. Absent on disks. @param query parameters that the address carries
   */
  addressOf?(name: string, query: Readonly<Record<string, string>>): Promise<string> | null;
  /**
   * How far its clock may be off, in milliseconds: what it calls younger than this may be new.
   */
  readonly clockMarginMs: number;
  /**
   * Removes what dead processes left half stored. Absent where the list shows it.
   * @param begunBefore epoch milliseconds
   */
  removeUnfinished?(begunBefore: number): Promise<void>;
  /** Null when nothing says how many bytes may still be stored. */
  space(): Promise<DiskBytes | null>;
}

/**
 * A storage that takes a file part by part, over days and from several processes, and joins the parts
 * in the end.
 */
export interface PartedStorage extends Storage {
  /** @returns the storage's name for the parts */
  beginParts(name: string, type: string): Promise<string>;
  /**
   * Stores a part, and replaces an existing one. All parts but the last have `partBytes`.
   * @returns the storage's name for its bytes
   */
  putPart(name: string, parts: string, part: FilePart): Promise<string>;
  /** Makes a file of its parts. Does nothing if that has been done. */
  joinParts(name: string, parts: string, list: readonly { number: number; etag: string }[]): Promise<void>;
  /** Does nothing if there are none. */
  dropParts(name: string, parts: string): Promise<void>;
  /** Parts that were neither joined nor dropped. @param prefix of their files' names */
  listParts(prefix: string): AsyncIterable<{ name: string; parts: string; begunUs: number }>;
}

/** The length of a part in bytes. */
export const partBytes = 8 * 1024 * 1024;

export interface FilePart {
  /** From 1. */
  number: number;
  bytes: Uint8Array;
  /** Base64. */
  md5: string;
}

export interface StoredFile {
  bytes: number;
  /** Epoch microseconds, by the clock of the storage. */
  modifiedUs: number;
  /** The time that the file had where it was copied from, if the storage has another one. */
  copiedUs?: number;
}

export interface ListedFile extends StoredFile {
  name: string;
}

/** The facts that a storage is told before it gets the bytes of a file. */
export interface FileContent {
  bytes: number;
  /** The media type, which a store sends with the file. */
  type: string;
  /** The modification time that a copy keeps, in epoch microseconds. */
  modifiedUs?: number;
}

/** The facts that distinguish a file from another one of its name. */
export interface ExpectedFile {
  size: number;
  /**
   * The modification time in epoch microseconds; null for a derived file, which is named by its
   * content.
   */
  modifiedUs: number | null;
}

/** An opened file, or why there is none: it is gone, or has changed. */
export type OpenedFile = { kind: 'opened'; file: SharedFile } | { kind: 'gone' } | { kind: 'changed' };

/** An open file that several readers may share. */
export interface SharedFile {
  /**
   * Waits until the byte at a position is here. Absent on disks, whose bytes are always here, and
   * may be read ahead.
   */
  arrive?(position: number): Promise<void>;
  /** @returns the number of bytes read; 0 past the end */
  read(into: Buffer, position: number): Promise<number>;
  /** Called once, when nothing is being read any more. */
  release(): void;
}

export interface LocalFile extends AsyncDisposable {
  /** Absolute. */
  path: string;
}

/** A file of a disk, as the library and the storages on disks name it. */
export interface DiskPlace {
  /** The folder that the file must not lie outside of. */
  folder: string;
  /** The absolute path, in the bytes of the file system. */
  file: Buffer;
}

/**
 * A file that is open for appending. Only synced bytes survive a power cut. After a call has
 * failed, only `close` may be called: the system may lose the bytes it still buffers without
 * another error.
 */
export interface GrowingFile {
  readonly size: number;
  /** Adds bytes at the end. */
  append(chunks: readonly Uint8Array[]): Promise<void>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Collects what a storage lists, for questions about many files at once. */
export async function* inSlices(files: AsyncIterable<ListedFile>, length: number): AsyncIterable<ListedFile[]> {
  let slice: ListedFile[] = [];
  for await (const file of files) {
    slice.push(file);
    if (slice.length < length) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/** Reads a part of a file. @throws RangeError for a file that is gone, or shorter */
export async function readWindow(
  files: Pick<Storage, 'open'>,
  name: string,
  size: number,
  window: FileWindow,
): Promise<Uint8Array> {
  const opened = await files.open(name, { size, modifiedUs: null }, window);
  if (opened.kind !== 'opened') throw new RangeError('The file is not there any more.');
  try {
    const bytes = Buffer.allocUnsafe(window.end - window.start + 1);
    for (let filled = 0; filled < bytes.length; ) {
      const got = await opened.file.read(bytes.subarray(filled), window.start + filled);
      if (got === 0) throw new RangeError('The file is shorter than it was.');
      filled += got;
    }
    return bytes;
  } finally {
    opened.file.release();
  }
}
