import { hash } from 'node:crypto';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { FileReading } from '../../../media/file-reading.ts';
import { unreadFile } from '../../../media/file-reading.ts';
import type { Prober } from '../../../media/prober.ts';
import type { LibraryStore } from '../../../storage/stores/library-store.ts';
import { isUsableKey } from '../../../storage/stores/s3-address.ts';
import type { S3Object } from '../../../storage/stores/s3-client.ts';
import { isStoreFault, StoreRefusal } from '../../../storage/stores/store-calls.ts';
import { comparePaths } from '../library-files.ts';
import type { KnownRoot } from '../root-repository.ts';
import type { FoundFile } from './walk.ts';
import { fileNameOf, isVideoName, RootUnreadable } from './walk.ts';

/** Nothing at all lies where videos were. */
export class RootEmpty extends RootUnreadable {}

/** The place of a library in a store, and what its last scans found. */
export class StoreRoot {
  private readonly store: Pick<LibraryStore, 'place' | 'list' | 'read'>;
  private readonly prober: Pick<Prober, 'readRemote'>;
  /** How many listings in a row have failed. */
  failures = 0;
  /** Whether the last scan could not read everything. */
  isUnfinished = false;
  /** How many videos of the last listing have names that lead out of their folder, or into none. */
  skipped = 0;
  /** How many of them there were when that was last said. */
  toldSkipped = 0;

  constructor(store: Pick<LibraryStore, 'place' | 'list' | 'read'>, prober: Pick<Prober, 'readRemote'>) {
    this.store = store;
    this.prober = prober;
  }

  get place(): string {
    return this.store.place;
  }

  /** Whether it was listed completely since a time in epoch milliseconds; never if that is null. */
  isFresh({ scannedAt, missingSince }: KnownRoot, since: number | null): boolean {
    if (since === null || missingSince !== null || this.failures > 0 || this.isUnfinished) return false;
    return scannedAt !== null && scannedAt > since;
  }

  /**
   * Lists the videos, sorted by path.
   * @param mayBeEmpty false where videos were
   * @throws RootUnreadable for a store that does not list them all, or in another order; RootEmpty
   */
  async *walk(mayBeEmpty: boolean): AsyncGenerator<FoundFile> {
    this.skipped = 0;
    this.isUnfinished = false;
    let last: string | null = null;
    for await (const object of this.list()) {
      const { key } = object;
      if (last !== null && comparePaths(last, key) >= 0) {
        this.failures += 1;
        throw new RootUnreadable(this.place, { cause: new Error('It does not sort names by their bytes.') });
      }
      last = key;
      if (!isVideoName(fileNameOf(key))) continue;
      if (!isUsableKey(key) || key.includes('\0')) this.skipped += 1;
      else if (!key.split('/').some((part) => part.startsWith('.'))) yield toFoundFile(object);
    }
    this.failures = 0;
    if (last === null && !mayBeEmpty) throw new RootEmpty(this.place);
  }

  /**
   * Reads the headers of files, each by as few bytes as it takes.
   * @returns without those that are gone or change meanwhile, or that a store which is away does not
   * give: they are left to the next scan
   */
  async readHeaders(files: readonly FoundFile[]): Promise<ReadonlyMap<FoundFile, FileReading>> {
    const readings = new Map<FoundFile, FileReading>();
    const waiting = files.values();
    const readNext = async () => {
      for (const file of waiting) {
        const reading = await this.readHeader(file);
        if (reading !== null) readings.set(file, reading);
      }
    };
    await Promise.all(Array.from({ length: filesAtOnce }, readNext));
    this.isUnfinished ||= readings.size < files.length;
    return readings;
  }

  private async readHeader({ path, size, etag }: FoundFile): Promise<FileReading | null> {
    const read = (window: FileWindow) => this.store.read({ path, etag: etag ?? '' }, window);
    try {
      const reading = await this.prober.readRemote({ size, read });
      return reading ?? unreadFile('too_complex');
    } catch (error) {
      if (error instanceof StoreRefusal && error.status === 403) return unreadFile('refused');
      if (isStoreFault(error) || error instanceof RangeError) return null;
      throw error;
    }
  }

  private async *list(): AsyncGenerator<S3Object> {
    try {
      yield* this.store.list();
    } catch (error) {
      this.failures += 1;
      if (isStoreFault(error)) throw new RootUnreadable(this.place, { cause: error });
      throw error;
    }
  }
}

const filesAtOnce = 32;

function toFoundFile({ key, bytes, modifiedUs, etag }: S3Object): FoundFile {
  const time = timeOfVersion(modifiedUs, etag);
  return { kind: 'file', path: key, file: key, size: bytes, modifiedUs: time, inode: 0, etag, textsUs: null };
}

const secondUs = 1_000_000;

/**
 * Stores tell whole seconds, in which an object may be replaced: the tag of its bytes stands in
 * their place, so that all that is made of a version is known by its time.
 */
function timeOfVersion(modifiedUs: number, etag: string): number {
  const tag = Number.parseInt(hash('sha256', etag, 'hex').slice(0, 8), 16);
  return modifiedUs - (modifiedUs % secondUs) + (tag % secondUs);
}
