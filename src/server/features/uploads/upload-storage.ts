import type { FileReading } from '../../media/file-reading.ts';
import type { DiskBytes } from '../../storage/disk-space.ts';
import type { FileVersion } from '../../storage/open-for-reading.ts';
import type { Storage } from '../../storage/storage.ts';
import type { LockedFile } from './receiving/lock-repository.ts';
import type { UploadLock } from './receiving/upload-locks.ts';
import type { UploadFile } from './upload-file.ts';

/** The place of uploaded bytes, while they arrive and once they are videos: a disk, or a store. */
export interface UploadStorage {
  /** Stored videos by their names, see `storedName`. */
  readonly files: Pick<Storage, 'find' | 'list' | 'remove'>;
  /** How many bodies this process may receive at once. */
  readonly bodiesMax: number;
  /** The number of bytes after which a body asks for a confirmation. */
  readonly confirmEveryBytes: number;
  /** Null when nothing says how many bytes may still be stored. */
  space(): Promise<DiskBytes | null>;
  /**
   * The number of bytes of a file that no request works on; null when only the holder of its lock
   * can tell.
   */
  findSettled(file: UploadFile, found: LockedFile): Promise<number | null>;
  /** Opens what has arrived, as far as it can be trusted. The caller holds the lock. */
  openPart(file: UploadFile, lock: UploadLock): Promise<PartFile>;
  /** Whether all bytes are there, without the lock. */
  hasArrived(file: UploadFile): Promise<boolean>;
  /** True when no byte is there. */
  hasNothing(file: UploadFile): Promise<boolean>;
  /** Removes what has arrived, even while a request works on it. */
  removePart(file: UploadFile): Promise<void>;
  /** Removes what has arrived, and the stored file. */
  remove(file: UploadFile): Promise<void>;
  /** Removes parts that dead processes left. @param sweptAt the time of the sweeps, epoch milliseconds */
  sweep(sweptAt: number): Promise<void>;
  /**
   * Reads a file that has arrived completely. The caller holds the lock.
   * @throws Refusal 409 when bytes are missing after all; Unavailable when it cannot be read now
   */
  openWhole(file: UploadFile, lock: UploadLock): Promise<WholeFile>;
  /**
   * Compares a stored file with its row: null when it is missing, or another one.
   * @throws when the storage fails, which says nothing about the file
   */
  findVersion(row: StoredFileRow, found: { bytes: number; modifiedUs: number } | null): Promise<FileVersion | null>;
  /** Null for a file that cannot be read now. */
  readHeaders(row: Pick<StoredFileRow, 'path' | 'size'>): Promise<FileReading | null>;
}

/** The bytes of a file that have arrived, while a request holds its lock. */
export interface PartFile {
  readonly size: number;
  /** Adds bytes at the end. The chunks may be freed afterwards. */
  append(chunks: readonly Uint8Array[]): Promise<void>;
  /** Resolves once everything survives the end of this machine. */
  sync(): Promise<void>;
  /** Removes everything. */
  empty(): Promise<void>;
  /** Lets the bytes that follow count together, once they are synced, or not at all. */
  beginChecked(): Promise<void>;
  /** Drops the bytes since `beginChecked`. Never rejects. */
  takeBack(): Promise<void>;
  /** Keeps what it can of a body that broke off; the size tells how much. Never rejects. */
  breakOff(): Promise<void>;
  close(): Promise<void>;
}

/** A file that has arrived completely. */
export interface WholeFile {
  readonly reading: FileReading;
  /** The SHA-256 of its parts' sums; null where parts have none. */
  readonly partsSum: string | null;
  /** The first of these files that holds the same bytes. */
  findSame<T extends StoredBytes>(others: readonly T[]): Promise<T | null>;
  /** Gives it its last name. @throws Unavailable when it is gone */
  store(): Promise<FileVersion>;
  /** Undoes `store`. */
  unstore(): Promise<void>;
  /** Removes its bytes, which are stored already or refused. */
  remove(): Promise<void>;
}

/** A file that may hold the same bytes as another one. */
export interface StoredBytes {
  /** The folder of its root; null for the root of uploads. */
  folder: string | null;
  /** Relative to the root. */
  path: string;
  partsSum: string | null;
}

/** The facts about a file in a row of the root of uploads. */
export interface StoredFileRow {
  path: string;
  size: number;
  /** Epoch microseconds. */
  modifiedUs: number;
  fingerprint: string | null;
}
