import { hash } from 'node:crypto';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { FileReading } from '../../../media/file-reading.ts';
import { unreadFile } from '../../../media/file-reading.ts';
import type { Prober } from '../../../media/prober.ts';
import type { SidecarTexts } from '../../../media/sidecar-file.ts';
import { describedStem, describingFiles, infoForm, nfoForm, parseSidecarTexts } from '../../../media/sidecar-file.ts';
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
  /** The objects with the title or description of a video. */
  private readonly texts = new WeakMap<FoundFile, readonly S3Object[]>();

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
    let group: S3Object[] = [];
    for await (const object of this.list()) {
      const { key } = object;
      if (last !== null && comparePaths(last, key) >= 0) {
        this.failures += 1;
        throw new RootUnreadable(this.place, { cause: new Error('It does not sort names by their bytes.') });
      }
      last = key;
      const isVideo = isVideoName(fileNameOf(key));
      if (!isVideo && describedStem(key) === null) continue;
      if (!isUsableKey(key) || key.includes('\0')) {
        if (isVideo) this.skipped += 1;
        continue;
      }
      if (!belongsTo(group, key)) {
        yield* this.describe(group);
        group = [];
      }
      group.push(object);
    }
    yield* this.describe(group);
    this.failures = 0;
    if (last === null && !mayBeEmpty) throw new RootEmpty(this.place);
  }

  /** The videos of a group, each with the texts that lie beside it. */
  private *describe(group: readonly S3Object[]): Generator<FoundFile> {
    for (const object of group) {
      const { key } = object;
      if (!isVideoName(fileNameOf(key)) || key.split('/').some((part) => part.startsWith('.'))) continue;
      const describing = describingFiles(stemOf(key));
      const texts = group.filter((other) => describing.includes(other.key));
      const file = toFoundFile(object, texts);
      if (texts.length > 0) this.texts.set(file, texts);
      yield file;
    }
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

  private async readHeader(file: FoundFile): Promise<FileReading | null> {
    const { path, size, etag } = file;
    const read = (window: FileWindow) => this.store.read({ path, etag: etag ?? '' }, window);
    try {
      const reading = await this.prober.readRemote({ size, read });
      const texts = this.texts.get(file);
      const known = reading ?? unreadFile('too_complex');
      return texts === undefined ? known : { ...known, sidecar: await this.readTexts(texts) };
    } catch (error) {
      if (error instanceof StoreRefusal && error.status === 403) return unreadFile('refused');
      if (isStoreFault(error) || error instanceof RangeError) return null;
      throw error;
    }
  }

  private async readTexts(texts: readonly S3Object[]): Promise<SidecarTexts> {
    const textOf = async ({ ending, bytesMax }: typeof nfoForm) => {
      const text = texts.find(({ key, bytes }) => key.endsWith(ending) && bytes > 0 && bytes <= bytesMax);
      if (text === undefined) return '';
      try {
        const { key: path, bytes, etag } = text;
        return Buffer.from(await this.store.read({ path, etag }, { start: 0, end: bytes - 1 })).toString();
      } catch (error) {
        // The video plays without it.
        if (error instanceof StoreRefusal && error.status === 403) return '';
        throw error;
      }
    };
    return parseSidecarTexts(await textOf(nfoForm), await textOf(infoForm));
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

/** The most objects of one group. */
const groupMax = 200;

/**
 * Whether an object may belong to the same video as one of a group. Names that begin with the stem of
 * the first one and a dot follow each other in a listing.
 */
function belongsTo([first, ...others]: readonly S3Object[], key: string): boolean {
  if (first === undefined) return true;
  return others.length < groupMax && key.startsWith(`${describedStem(first.key) ?? stemOf(first.key)}.`);
}

function stemOf(key: string): string {
  return key.slice(0, key.lastIndexOf('.'));
}

function toFoundFile({ key, bytes, modifiedUs, etag }: S3Object, texts: readonly S3Object[]): FoundFile {
  const time = timeOfVersion(modifiedUs, etag);
  const textsUs = texts.length === 0 ? null : timeOfTexts(texts);
  return { kind: 'file', path: key, file: key, size: bytes, modifiedUs: time, inode: 0, etag, textsUs };
}

const secondUs = 1_000_000;

/** The latest time of some texts, which also differs when one of them changes within a second. */
function timeOfTexts(texts: readonly S3Object[]): number {
  const latest = Math.max(...texts.map(({ modifiedUs }) => modifiedUs));
  return timeOfVersion(latest, texts.map(({ key, etag }) => `${key} ${etag}`).join('\n'));
}

/**
 * Stores tell whole seconds, in which an object may be replaced: the tag of its bytes stands in
 * their place, so that all that is made of a version is known by its time.
 */
function timeOfVersion(modifiedUs: number, etag: string): number {
  const tag = Number.parseInt(hash('sha256', etag, 'hex').slice(0, 8), 16);
  return modifiedUs - (modifiedUs % secondUs) + (tag % secondUs);
}
