import type { BigIntStats } from 'node:fs';
import { read } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { stat } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import { openInside } from '../../storage/local-file.ts';
import { isScannedFile } from '../videos/open-scanned-file.ts';
import type { Video } from '../videos/video.ts';
import type { VideoFile } from '../videos/video-places.ts';
import type { RestingLimits } from './resting-files.ts';
import { createRestingFiles } from './resting-files.ts';

/** A file that others may be reading too. */
export interface SharedFile {
  /** Open until it is released. */
  readonly descriptor: number;
  /** @returns how many bytes came; 0 past the end */
  read(into: Buffer, position: number): Promise<number>;
  /** Once, when nothing is being read any more. */
  release(): void;
}

/** An opened video, or why there is none: its file is gone, or is no longer the one that was scanned. */
export type OpenedVideo = { kind: 'opened'; file: SharedFile } | { kind: 'gone' } | { kind: 'changed' };

/** One descriptor for each file, however many read it; kept for a moment, because a player asks for one range after the other. */
export interface SharedFiles {
  /** Descriptors that are open. */
  readonly size: number;
  /** What took the place of a file is never sent for it, nor is what nobody has scanned. That something did is seen within `trustMs`. */
  open(video: Video, place: VideoFile): Promise<OpenedVideo>;
  closeIdle(): Promise<void>;
}

interface Entry {
  key: string;
  handle: FileHandle;
  /** As the file was when it was opened. */
  facts: BigIntStats;
  /** By `clock.elapsed()`: when its place was last seen to hold this very file. */
  seenAt: number;
  looking: Promise<BigIntStats | null> | null;
  users: number;
  /** False once another file took its place. */
  isCurrent: boolean;
}

interface SharedFilesLimits extends RestingLimits {
  /** A file that was looked at is not looked at again for so long. */
  trustMs: number;
}

export const sharedFilesLimits: SharedFilesLimits = { idleMs: 500, idleFiles: 64, trustMs: 1_000 };

export function createSharedFiles(clock: Clock, limits: Partial<SharedFilesLimits> = {}): SharedFiles {
  const { trustMs, ...restingLimits } = { ...sharedFilesLimits, ...limits };
  const entries = new Map<string, Entry>();
  const resting = createRestingFiles(clock, restingLimits, close);
  const opening = new Map<string, Promise<Entry | null>>();
  let openCount = 0;

  async function load(key: string, place: VideoFile): Promise<Entry | null> {
    const handle = await openInside(place.folder, place.file);
    if (handle === null) return null;
    const seenAt = clock.elapsed();
    const facts = await handle.stat({ bigint: true }).catch(() => null);
    if (facts?.isFile() !== true) {
      await handle.close().catch(() => {});
      return null;
    }
    openCount += 1;
    const entry: Entry = { key, handle, facts, seenAt, looking: null, users: 0, isCurrent: true };
    entries.set(key, entry);
    return entry;
  }

  /** Those who ask for a file while it is being opened wait for that. */
  function loadOnce(key: string, place: VideoFile): Promise<Entry | null> {
    const running = opening.get(key);
    if (running !== undefined) return running;
    const started = load(key, place).finally(() => opening.delete(key));
    opening.set(key, started);
    return started;
  }

  async function close(entry: Entry): Promise<void> {
    retire(entry);
    resting.remove(entry);
    openCount -= 1;
    await entry.handle.close().catch(() => {});
  }

  function use(entry: Entry): void {
    entry.users += 1;
    resting.remove(entry);
  }

  function release(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (entry.isCurrent) resting.add(entry);
    else void close(entry);
  }

  function retire(entry: Entry): void {
    entry.isCurrent = false;
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
  }

  /** Those who ask while somebody looks wait for that. */
  function look(entry: Entry, { file }: VideoFile): Promise<BigIntStats | null> {
    entry.looking ??= lookNow(entry, file).finally(() => {
      entry.looking = null;
    });
    return entry.looking;
  }

  async function lookNow(entry: Entry, file: Buffer): Promise<BigIntStats | null> {
    const startedAt = clock.elapsed();
    const facts = await stat(file, { bigint: true }).catch(() => null);
    if (facts !== null && isSameFile(facts, entry.facts)) entry.seenAt = startedAt;
    else retire(entry);
    return facts;
  }

  return {
    get size() {
      return openCount;
    },
    async open(video, place) {
      const key = place.file.toString('latin1');
      // Twice: what is on the shelf may be an older file of that name.
      for (let tries = 0; tries < 2; tries += 1) {
        const entry = entries.get(key) ?? (await loadOnce(key, place));
        if (entry === null) return { kind: 'gone' };
        if (!entry.isCurrent) continue;
        use(entry);
        const isTrusted = clock.elapsed() - entry.seenAt < trustMs && isScannedFile(entry.facts, video);
        const facts = isTrusted ? entry.facts : await look(entry, place);
        const isScanned = facts !== null && isScannedFile(facts, video);
        if (isScanned && entry.isCurrent) return { kind: 'opened', file: share(entry, () => release(entry)) };
        release(entry);
        if (!isScanned) return { kind: facts?.isFile() === true ? 'changed' : 'gone' };
      }
      return { kind: 'changed' };
    },
    closeIdle: () => resting.closeAll(),
  };
}

function share({ handle }: Entry, release: () => void): SharedFile {
  return { descriptor: handle.fd, read: (into, position) => readAt(handle.fd, into, position), release };
}

/** Without the promises of `FileHandle`, which cost as much as the reading. */
function readAt(descriptor: number, into: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, into, 0, into.length, position, (error, length) => (error === null ? resolve(length) : reject(error)));
  });
}

function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
