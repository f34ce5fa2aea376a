import type { FileHandle } from 'node:fs/promises';
import { Refusal, Unavailable } from '../../../http/pipeline/errors.ts';
import type { FileReading } from '../../../media/file-reading.ts';
import type { Prober } from '../../../media/prober.ts';
import type { DiskBytes } from '../../../storage/disk-space.ts';
import type { DiskStorage } from '../../../storage/disk-storage.ts';
import { incomingFolder } from '../../../storage/disk-storage.ts';
import type { FileVersion } from '../../../storage/open-for-reading.ts';
import { openForReading, openInside } from '../../../storage/open-for-reading.ts';
import type { GrowingFile } from '../../../storage/storage.ts';
import { inSlices } from '../../../storage/storage.ts';
import { filePathOf } from '../../library/library-files.ts';
import type { UploadFile } from '../upload-file.ts';
import { notArrived, partName, partsFolder, storedName, videosFolder } from '../upload-file.ts';
import type { PartFile, StoredBytes, StoredFileRow, UploadStorage, WholeFile } from '../upload-storage.ts';
import type { LockedFile } from './lock-repository.ts';
import type { UploadLock } from './upload-locks.ts';
import { placeLimits } from './upload-room.ts';

interface DiskUploadsDeps {
  storage: DiskStorage;
  prober: Pick<Prober, 'read'>;
  space(): Promise<DiskBytes | null>;
  /** Returns those of the files that are still being received. */
  findReceiving(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

const sweptTogether = 100;
/** A file that is being copied here is written all the time. */
const copiedWithinMs = 24 * 3_600_000;

/**
 * Uploads in a folder of this machine. A part is a file that grows, and its length is the offset of
 * the upload; a stored video is the same file under another name.
 */
export class DiskUploads implements UploadStorage {
  readonly files: DiskStorage;
  readonly bodiesMax = placeLimits.total;
  /** A power cut may lose twice this: while one portion is confirmed, the next is written. */
  readonly confirmEveryBytes = 16 * 1024 * 1024;
  private readonly deps: DiskUploadsDeps;

  constructor(deps: DiskUploadsDeps) {
    this.deps = deps;
    this.files = deps.storage;
  }

  space(): Promise<DiskBytes | null> {
    return this.deps.space();
  }

  async findSettled(file: UploadFile, { isSuspect, durable }: LockedFile): Promise<number | null> {
    if (isSuspect) return null;
    const part = await this.files.find(partName(file));
    // Its process died while the file was being moved to the library.
    if (part === null && (await this.files.find(storedName(file))) !== null) return null;
    return (part?.bytes ?? 0) === durable ? durable : null;
  }

  /**
   * All of the bytes are on the disk then. A file that was being moved to the library when its
   * process died is moved back.
   */
  async openPart(file: UploadFile, lock: UploadLock): Promise<PartFile> {
    const { isSuspect, durable } = lock.found;
    await this.bringBack(file);
    const growing = await this.files.openGrowing(partName(file));
    const part = new DiskPart(this.files, { file, growing, lock });
    try {
      if (isSuspect && growing.size > durable) await growing.truncate(durable);
      await part.makeDurable(Math.min(growing.size, durable));
      if (isSuspect || durable !== growing.size) await lock.renew({ durable: growing.size, suspect: 0 });
      return part;
    } catch (error) {
      await part.close();
      throw error;
    }
  }

  async hasArrived(file: UploadFile): Promise<boolean> {
    const found = (await this.files.find(partName(file))) ?? (await this.files.find(storedName(file)));
    return found?.bytes === file.size;
  }

  async hasNothing(file: UploadFile): Promise<boolean> {
    return (await this.files.find(partName(file))) === null && (await this.files.find(storedName(file))) === null;
  }

  async removePart(file: UploadFile): Promise<void> {
    await this.files.remove(partName(file));
  }

  async remove(file: UploadFile): Promise<void> {
    await this.files.remove(partName(file));
    await this.files.remove(storedName(file));
  }

  async sweep(sweptAt: number): Promise<void> {
    for await (const { name, modifiedUs } of this.files.list(`${videosFolder}/${incomingFolder}/`))
      if (modifiedUs < (sweptAt - copiedWithinMs) * 1_000) await this.files.remove(name);
    const prefix = `${partsFolder}/`;
    for await (const files of inSlices(this.files.list(prefix), sweptTogether)) {
      const ids = files.map(({ name }) => name.slice(prefix.length));
      const receiving = await this.deps.findReceiving(ids);
      for (const id of ids) if (!receiving.has(id)) await this.files.remove(partName({ id }));
    }
  }

  async openWhole(file: UploadFile, lock: UploadLock): Promise<WholeFile> {
    const part = await this.openPart(file, lock);
    await part.close();
    if (part.size !== file.size) throw new Refusal('conflict', { message: notArrived });
    const reading = await this.readFile(partName(file));
    if (reading === null) throw new Unavailable();
    return new WholeDiskFile(this.files, file, reading);
  }

  /** A copy restored from a backup has another modification time and the same fingerprint. */
  async findVersion(
    { path, size, modifiedUs, fingerprint }: StoredFileRow,
    found: { bytes: number; modifiedUs: number } | null,
  ): Promise<FileVersion | null> {
    if (found?.bytes !== size) return null;
    const version = { size, modifiedUs: found.modifiedUs };
    if (version.modifiedUs === modifiedUs) return version;
    await using local = await this.files.local(`${videosFolder}/${path}`);
    const [reading] = local === null ? [] : await this.deps.prober.read([local.path]);
    return reading?.fingerprint === fingerprint ? version : null;
  }

  readHeaders({ path }: Pick<StoredFileRow, 'path'>): Promise<FileReading | null> {
    return this.readFile(`${videosFolder}/${path}`);
  }

  private async readFile(name: string): Promise<FileReading | null> {
    await using local = await this.files.local(name);
    const [reading] = local === null ? [] : await this.deps.prober.read([local.path]);
    return reading === undefined || reading.probe.reason === 'unreadable' ? null : reading;
  }

  private async bringBack(file: UploadFile): Promise<void> {
    const stored = storedName(file);
    if ((await this.files.find(partName(file))) !== null || (await this.files.find(stored)) === null) return;
    await this.files.rename(stored, partName(file));
  }
}

class DiskPart implements PartFile {
  private readonly storage: DiskStorage;
  private readonly file: UploadFile;
  private readonly growing: GrowingFile;
  private readonly lock: UploadLock;
  /** Bytes that are certain to be on the disk. */
  private durable = 0;
  private checkedFrom: number | null = null;

  constructor(
    storage: DiskStorage,
    { file, growing, lock }: { file: UploadFile; growing: GrowingFile; lock: UploadLock },
  ) {
    this.storage = storage;
    this.file = file;
    this.growing = growing;
    this.lock = lock;
  }

  get size(): number {
    return this.growing.size;
  }

  append(chunks: readonly Uint8Array[]): Promise<void> {
    return this.growing.append(chunks);
  }

  sync(): Promise<void> {
    return this.makeDurable(this.durable);
  }

  /**
   * Syncs the file, or marks it as suspect: unsynced bytes may be lost although the length is right,
   * and the next request cuts them off.
   * @param durable bytes that are certain to be on the disk even then
   */
  async makeDurable(durable: number): Promise<void> {
    const { size } = this.growing;
    try {
      await this.growing.sync();
    } catch (error) {
      await this.lock.renew({ durable, suspect: 1 });
      throw error;
    }
    // The row learns of it with the next renewal, or when a sync fails: every commit would be
    // another sync to wait for.
    this.durable = size;
  }

  async empty(): Promise<void> {
    await this.growing.truncate(0);
    await this.lock.renew({ durable: 0, received: 0 });
    this.durable = 0;
  }

  /** The bytes are suspect until the checksum matches. */
  async beginChecked(): Promise<void> {
    this.checkedFrom = this.growing.size;
    await this.lock.renew({ durable: this.checkedFrom, suspect: 1 });
  }

  /**
   * Truncates rejected bytes. The file stays suspect: until the system has synced the truncation, a
   * power cut can bring the bytes back.
   */
  async takeBack(): Promise<void> {
    // Another request may hold the lock by now and be writing.
    if (this.checkedFrom === null || !this.lock.isHeld) return;
    await this.storage.truncate(partName(this.file), this.checkedFrom).catch(() => {});
  }

  /** The received bytes stay for the next request, which syncs them. */
  async breakOff(): Promise<void> {}

  close(): Promise<void> {
    return this.growing.close();
  }
}

class WholeDiskFile implements WholeFile {
  readonly partsSum = null;
  readonly reading: FileReading;
  private readonly storage: DiskStorage;
  private readonly file: UploadFile;

  constructor(storage: DiskStorage, file: UploadFile, reading: FileReading) {
    this.storage = storage;
    this.file = file;
    this.reading = reading;
  }

  async findSame<T extends StoredBytes>(others: readonly T[]): Promise<T | null> {
    for (const other of others) {
      await using handle = await this.open(other);
      const bytes = this.storage.readRange(partName(this.file), 0, this.file.size);
      if (handle !== null && (await isSame(handle, bytes))) return other;
    }
    return null;
  }

  async store(): Promise<FileVersion> {
    const name = storedName(this.file);
    await this.storage.rename(partName(this.file), name);
    const stored = await this.storage.find(name);
    if (stored === null) throw new Unavailable();
    return { size: stored.bytes, modifiedUs: stored.modifiedUs };
  }

  async unstore(): Promise<void> {
    await this.storage.rename(storedName(this.file), partName(this.file));
  }

  async remove(): Promise<void> {
    await this.storage.remove(partName(this.file));
  }

  private async open({ folder, path }: StoredBytes): Promise<FileHandle | null> {
    if (folder !== null) return openInside(folder, Buffer.from(filePathOf(folder, path)));
    await using local = await this.storage.local(`${videosFolder}/${path}`);
    return local === null ? null : await openForReading(Buffer.from(local.path));
  }
}

async function isSame(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  let at = 0;
  for await (const chunk of bytes) {
    const other = Buffer.allocUnsafe(chunk.length);
    for (let filled = 0; filled < other.length; ) {
      const { bytesRead } = await handle.read(other, filled, other.length - filled, at + filled);
      if (bytesRead === 0) return false;
      filled += bytesRead;
    }
    if (!other.equals(chunk)) return false;
    at += chunk.length;
  }
  return true;
}
