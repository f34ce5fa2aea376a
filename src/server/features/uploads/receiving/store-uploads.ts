import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import { Refusal, Unavailable } from '../../../http/pipeline/errors.ts';
import type { Ids } from '../../../ids.ts';
import type { FileReading } from '../../../media/file-reading.ts';
import { unreadFile } from '../../../media/file-reading.ts';
import type { Prober } from '../../../media/prober.ts';
import type { FileVersion } from '../../../storage/open-for-reading.ts';
import { TooLargeToCopy } from '../../../storage/remote-copies.ts';
import type { PartedStorage } from '../../../storage/storage.ts';
import { inSlices, partBytes, readWindow } from '../../../storage/storage.ts';
import { isPartsLost } from '../../../storage/stores/store-calls.ts';
import type { UploadFile } from '../upload-file.ts';
import { fileIdOf, notArrived, partsFolder, storedName, videoPath, videosFolder } from '../upload-file.ts';
import type { PartFile, StoredBytes, StoredFileRow, UploadStorage, WholeFile } from '../upload-storage.ts';
import type { PartsOfFile } from './part-repository.ts';
import { partRepository } from './part-repository.ts';
import { PartMemory, StorePart } from './store-part.ts';
import type { UploadLock } from './upload-locks.ts';

interface StoreUploadsDeps {
  storage: PartedStorage;
  database: Database;
  ids: Pick<Ids, 'short'>;
  clock: Pick<Clock, 'elapsed'>;
  prober: Pick<Prober, 'read' | 'readRemote'>;
  /** How long a call waits for a copy. */
  patienceMs?: number;
}

/** 96 MiB: eight bodies collect a part each while four parts travel. */
const partsInMemory = 12;
/** Bodies beyond the parts in memory wait for one, each for half a minute at most. */
const bodiesMax = 64;
const sweptTogether = 100;
/** The caller of `complete` waits for a minute at most. */
const usualPatienceMs = 50_000;
const copyMs = 3_600_000;

/**
 * Uploads in a store that all nodes reach. Rows say what the store has taken, never more; a stored
 * video has been joined of its parts.
 */
export class StoreUploads implements UploadStorage {
  readonly files: PartedStorage;
  readonly bodiesMax = bodiesMax;
  /** Each part is confirmed by its row. */
  readonly confirmEveryBytes = Number.POSITIVE_INFINITY;
  private readonly deps: StoreUploadsDeps;
  private readonly memory: PartMemory;

  constructor(deps: StoreUploadsDeps) {
    this.deps = deps;
    this.files = deps.storage;
    this.memory = new PartMemory(partsInMemory, deps.clock);
  }

  async space(): Promise<null> {
    return null;
  }

  async findSettled(file: UploadFile): Promise<number | null> {
    const known = await this.find(file);
    return isComplete(known, file) ? known.durable : null;
  }

  async openPart(file: UploadFile, lock: UploadLock): Promise<PartFile> {
    const { storage, ids } = this.deps;
    const known = await this.find(file);
    const part = new StorePart({ storage, memory: this.memory, ids, file, lock }, known);
    if (!isComplete(known, file)) await part.empty();
    return part;
  }

  async hasArrived(file: UploadFile): Promise<boolean> {
    return (await this.find(file)).durable === file.size;
  }

  async hasNothing(file: UploadFile): Promise<boolean> {
    const { multipart, tails } = await this.find(file);
    return multipart === null && tails.length === 0;
  }

  async removePart(file: UploadFile): Promise<void> {
    const { multipart, tails } = await this.find(file);
    if (multipart !== null) await this.files.dropParts(storedName(file), multipart);
    for (const { name } of tails) await this.files.remove(name);
  }

  async remove(file: UploadFile): Promise<void> {
    await this.removePart(file);
    await this.files.remove(storedName(file));
    await this.deps.database.write((transaction) => partRepository.forget(transaction, file.id));
  }

  /** Leaves what is younger than the margin of the store's clock: a request may be at work on it. */
  async sweep(sweptAt: number): Promise<void> {
    const { database } = this.deps;
    const before = (sweptAt - this.files.clockMarginMs) * 1_000;
    for await (const found of inSlices(this.files.list(`${partsFolder}/`), sweptTogether)) {
      const ids = found.map(({ name }) => fileOfTail(name));
      const receiving = await partRepository.findReceiving(database.reader, ids);
      const isUsed = (name: string) => receiving.get(fileOfTail(name))?.tails.some((tail) => tail.name === name);
      for (const { name, modifiedUs } of found)
        if (modifiedUs < before && isUsed(name) !== true) await this.files.remove(name);
    }
    for await (const { name, parts, begunUs } of this.files.listParts(`${videosFolder}/`)) {
      const id = fileIdOf(name.slice(videosFolder.length + 1));
      const receiving = begunUs < before ? await partRepository.findReceiving(database.reader, [id]) : null;
      if (receiving !== null && receiving.get(id)?.multipart !== parts) await this.files.dropParts(name, parts);
    }
    while ((await database.write((transaction) => partRepository.deleteEnded(transaction))) > 0);
  }

  async openWhole(file: UploadFile, lock: UploadLock): Promise<WholeFile> {
    const known = await this.find(file);
    if (known.durable !== file.size) throw missing();
    if (!isComplete(known, file)) return this.beginAgain(file, lock);
    const name = storedName(file);
    try {
      await this.files.joinParts(name, known.multipart ?? '', known.parts);
    } catch (error) {
      if (!isPartsLost(error)) throw error;
      await this.beginAgain(file, lock);
    }
    const stored = await this.files.find(name);
    if (stored === null) throw new Unavailable();
    if (stored.bytes !== file.size) return this.beginAgain(file, lock);
    const reading = await this.readHeaders({ path: videoPath(file), size: file.size });
    if (reading === null) throw new Unavailable();
    const version = { size: stored.bytes, modifiedUs: stored.modifiedUs };
    return new WholeStoreFile({ reading, version, partsSum: sumOf(known), remove: () => this.remove(file) });
  }

  /**
   * The time is not compared: a name is random and its file never written again, and copies have
   * another time.
   */
  async findVersion(row: StoredFileRow, found: { bytes: number } | null): Promise<FileVersion | null> {
    return found?.bytes === row.size ? { size: row.size, modifiedUs: row.modifiedUs } : null;
  }

  async readHeaders({ path, size }: Pick<StoredFileRow, 'path' | 'size'>): Promise<FileReading | null> {
    const { prober } = this.deps;
    const name = `${videosFolder}/${path}`;
    const read = (window: FileWindow) => readWindow(this.files, name, size, window);
    const reading = (await prober.readRemote({ size, read })) ?? (await this.readCopy(name));
    return reading === null || reading.probe.reason === 'unreadable' ? null : reading;
  }

  /**
   * Reads a file whose headers are in too many places to be fetched one by one, as fragments are. A
   * copy that takes long goes on when nobody waits for it, so that a later call finds it.
   * @returns null until there is a copy
   */
  private async readCopy(name: string): Promise<FileReading | null> {
    const { patienceMs = usualPatienceMs, prober } = this.deps;
    const copying = this.files.local(name, AbortSignal.timeout(copyMs));
    try {
      const local = await Promise.race([copying, wait(patienceMs, null, { ref: false })]);
      const [reading] = local === null ? [] : await prober.read([local.path]);
      return reading ?? null;
    } catch (error) {
      // To try it for ever would not make it a video.
      if (error instanceof TooLargeToCopy) return unreadFile('too_complex');
      throw error;
    } finally {
      void copying.then((local) => local?.[Symbol.asyncDispose]()).catch(() => {});
    }
  }

  /** @throws Refusal 409 always: the client has to send everything again */
  private async beginAgain(file: UploadFile, lock: UploadLock): Promise<never> {
    const { storage, ids } = this.deps;
    await new StorePart({ storage, memory: this.memory, ids, file, lock }, await this.find(file)).empty();
    throw missing();
  }

  private async find({ id }: UploadFile): Promise<PartsOfFile> {
    const found = await partRepository.find(this.deps.database.reader, id);
    // Its row was deleted meanwhile.
    if (found === null) throw new Refusal('gone');
    return found;
  }
}

class WholeStoreFile implements WholeFile {
  readonly reading: FileReading;
  readonly partsSum: string | null;
  readonly remove: () => Promise<void>;
  private readonly version: FileVersion;

  constructor(file: {
    reading: FileReading;
    partsSum: string;
    version: FileVersion;
    /** Removes the stored file. */
    remove(): Promise<void>;
  }) {
    this.reading = file.reading;
    this.partsSum = file.partsSum;
    this.version = file.version;
    this.remove = file.remove;
  }

  /** Nothing is read again: equal parts have equal sums. */
  async findSame<T extends StoredBytes>(others: readonly T[]): Promise<T | null> {
    return others.find(({ partsSum }) => partsSum === this.partsSum) ?? null;
  }

  /** It has its last name since its parts were joined. */
  async store(): Promise<FileVersion> {
    return this.version;
  }

  async unstore(): Promise<void> {}
}

/**
 * Whether the rows and the tails make up all bytes that count: a database from a backup knows no
 * parts, and one of a disk neither.
 */
function isComplete({ multipart, tails, durable, parts }: PartsOfFile, { size }: UploadFile): boolean {
  const inParts = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const isOneAfterAnother = parts.every(
    ({ number, bytes }, at) => number === at + 1 && (bytes === partBytes || inParts === size),
  );
  const isParted = (multipart !== null || parts.length === 0) && isOneAfterAnother;
  const inTails = tails.reduce((sum, { bytes }) => sum + bytes, 0);
  return isParted && inTails < partBytes && inParts + inTails === durable;
}

function sumOf({ parts }: PartsOfFile): string {
  return createHash('sha256')
    .update(parts.map(({ sum }) => sum).join(''))
    .digest('hex');
}

function fileOfTail(name: string): string {
  return name.split('/')[1] ?? '';
}

function missing(): Refusal {
  return new Refusal('conflict', { message: notArrived });
}
