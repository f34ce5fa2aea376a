import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { stat } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';
import { openInside } from '../../storage/local-file.ts';
import type { Video } from '../videos/video.ts';
import type { VideoFile } from '../videos/video-places.ts';

/** A file that others may be reading too. */
export interface SharedFile {
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
  /** Each time the file is looked at anew: what took its place is never sent for it, nor is what nobody has scanned. */
  open(video: Video, place: VideoFile): Promise<OpenedVideo>;
  closeIdle(): Promise<void>;
}

type Identity = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

interface Entry {
  key: string;
  handle: FileHandle;
  identity: Identity;
  users: number;
  /** By `clock.elapsed()`. */
  idleSince: number;
  /** False once another file took its place. */
  isCurrent: boolean;
}

interface SharedFilesLimits {
  idleMs: number;
  /** Descriptors that nobody reads; those in use are as many as there are streams at most. */
  idleFiles: number;
}

export const sharedFilesLimits: SharedFilesLimits = { idleMs: 500, idleFiles: 64 };

export function createSharedFiles(clock: Clock, { idleMs, idleFiles }: SharedFilesLimits = sharedFilesLimits): SharedFiles {
  const entries = new Map<string, Entry>();
  /** Nobody reads them; the one that rests for the longest first. */
  const idle = new Set<Entry>();
  const opening = new Map<string, Promise<Entry | null>>();
  let openCount = 0;
  let timer: NodeJS.Timeout | undefined;

  async function load(key: string, place: VideoFile): Promise<Entry | null> {
    const handle = await openInside(place.folder, place.file);
    if (handle === null) return null;
    openCount += 1;
    const identity = await handle.stat({ bigint: true }).catch(() => null);
    const entry: Entry = { key, handle, identity: identity ?? nothing, users: 0, idleSince: clock.elapsed(), isCurrent: true };
    if (identity?.isFile() === true) entries.set(key, entry);
    else await close(entry);
    return identity?.isFile() === true ? entry : null;
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
    idle.delete(entry);
    openCount -= 1;
    await entry.handle.close().catch(() => {});
  }

  function use(entry: Entry): void {
    entry.users += 1;
    idle.delete(entry);
  }

  function release(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (!entry.isCurrent) {
      void close(entry);
      return;
    }
    entry.idleSince = clock.elapsed();
    idle.add(entry);
    const [oldest] = idle.size > idleFiles ? idle : [];
    if (oldest !== undefined) void close(oldest);
    timer ??= setTimeout(closeRested, idleMs).unref();
  }

  function closeRested(): void {
    const now = clock.elapsed();
    timer = undefined;
    for (const entry of idle) {
      const restsFor = now - entry.idleSince;
      if (restsFor >= idleMs) void close(entry);
      else timer ??= setTimeout(closeRested, Math.max(1, idleMs - restsFor)).unref();
    }
  }

  function retire(entry: Entry): void {
    entry.isCurrent = false;
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
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
        const facts = await stat(place.file, { bigint: true }).catch(() => null);
        const isSame = facts !== null && isSameFile(facts, entry.identity);
        const state = compare(facts, video);
        if (isSame && state === 'same') return { kind: 'opened', file: share(entry, () => release(entry)) };
        if (!isSame) retire(entry);
        release(entry);
        if (state !== 'same') return { kind: state };
      }
      return { kind: 'changed' };
    },
    async closeIdle() {
      clearTimeout(timer);
      timer = undefined;
      await Promise.all([...idle].map(close));
    },
  };
}

const nothing: Identity = { dev: 0n, ino: 0n, size: 0n, mtimeNs: 0n };

function share({ handle }: Entry, release: () => void): SharedFile {
  return {
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    release,
  };
}

function isSameFile(a: Identity, b: Identity): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

function compare(facts: BigIntStats | null, video: Video): 'same' | 'changed' | 'gone' {
  if (facts?.isFile() !== true) return 'gone';
  return Number(facts.size) === video.size && Number(facts.mtimeNs / 1000n) === video.modifiedUs ? 'same' : 'changed';
}
