import type { BigIntStats } from 'node:fs';
import { read } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { stat } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { isVersion, openInside } from './open-for-reading.ts';
import type { DiskPlace, ExpectedFile, OpenedFile, SharedFile } from './storage.ts';

interface Entry {
  key: string;
  handle: FileHandle;
  /** The facts of the file when it was opened. */
  facts: BigIntStats;
  /** When its path was last seen to hold this file, measured by `clock.elapsed()`. */
  seenAt: number;
  inspection: Promise<BigIntStats | null> | null;
  users: number;
  /** False once another file has replaced it. */
  isCurrent: boolean;
}

interface SharedFilesLimits extends RestingLimits {
  /** A file is inspected at most once within this time. */
  trustMs: number;
}

export const sharedFilesLimits: SharedFilesLimits = { idleMs: 500, idleFiles: 64, trustMs: 1_000 };

/**
 * Opens one descriptor for each file, however many clients read it, and keeps it for a moment,
 * because a player requests one range after the other.
 */
export class SharedFiles {
  private readonly clock: Clock;
  private readonly trustMs: number;
  private readonly entries = new Map<string, Entry>();
  private readonly resting: RestingFiles<Entry>;
  private readonly opening = new Map<string, Promise<Entry | null>>();
  private openCount = 0;

  constructor(clock: Clock, limits: Partial<SharedFilesLimits> = {}) {
    const { trustMs, ...restingLimits } = { ...sharedFilesLimits, ...limits };
    this.clock = clock;
    this.trustMs = trustMs;
    this.resting = new RestingFiles(clock, restingLimits, (entry) => this.close(entry));
  }

  /** The number of open descriptors. */
  get size(): number {
    return this.openCount;
  }

  /**
   * Opens the expected file. A file that replaced it is never sent in its place; a replacement is
   * noticed within `trustMs`.
   */
  async open(expected: ExpectedFile, place: DiskPlace): Promise<OpenedFile> {
    const key = place.file.toString('latin1');
    // A second try follows when the open descriptor belongs to an older file at this path.
    for (let tries = 0; tries < 2; tries += 1) {
      const entry = this.entries.get(key) ?? (await this.loadOnce(key, place));
      if (entry === null) return { kind: 'gone' };
      if (!entry.isCurrent) continue;
      this.use(entry);
      const isTrusted = this.clock.elapsed() - entry.seenAt < this.trustMs && isExpected(entry.facts, expected);
      const facts = isTrusted ? entry.facts : await this.inspect(entry, place);
      const isSame = facts !== null && isExpected(facts, expected);
      if (isSame && entry.isCurrent) return { kind: 'opened', file: share(entry, () => this.release(entry)) };
      this.release(entry);
      if (!isSame) return { kind: facts?.isFile() === true ? 'changed' : 'gone' };
    }
    return { kind: 'changed' };
  }

  async closeIdle(): Promise<void> {
    await this.resting.closeAll();
  }

  /** Concurrent callers share one opening of a file. */
  private loadOnce(key: string, place: DiskPlace): Promise<Entry | null> {
    const running = this.opening.get(key);
    if (running !== undefined) return running;
    const started = this.load(key, place).finally(() => this.opening.delete(key));
    this.opening.set(key, started);
    return started;
  }

  private async load(key: string, place: DiskPlace): Promise<Entry | null> {
    const handle = await openInside(place.folder, place.file);
    if (handle === null) return null;
    const seenAt = this.clock.elapsed();
    const facts = await handle.stat({ bigint: true }).catch(() => null);
    if (facts?.isFile() !== true) {
      await closeQuietly(handle);
      return null;
    }
    this.openCount += 1;
    const entry: Entry = { key, handle, facts, seenAt, inspection: null, users: 0, isCurrent: true };
    this.entries.set(key, entry);
    return entry;
  }

  private async close(entry: Entry): Promise<void> {
    this.retire(entry);
    this.resting.remove(entry);
    this.openCount -= 1;
    await closeQuietly(entry.handle);
  }

  private use(entry: Entry): void {
    entry.users += 1;
    this.resting.remove(entry);
  }

  private release(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (entry.isCurrent) this.resting.add(entry);
    else void this.close(entry);
  }

  private retire(entry: Entry): void {
    entry.isCurrent = false;
    if (this.entries.get(entry.key) === entry) this.entries.delete(entry.key);
  }

  /** Concurrent callers share one inspection. */
  private inspect(entry: Entry, { file }: DiskPlace): Promise<BigIntStats | null> {
    entry.inspection ??= this.inspectNow(entry, file).finally(() => {
      entry.inspection = null;
    });
    return entry.inspection;
  }

  private async inspectNow(entry: Entry, file: Buffer): Promise<BigIntStats | null> {
    const startedAt = this.clock.elapsed();
    const facts = await stat(file, { bigint: true }).catch(() => null);
    if (facts !== null && isSameFile(facts, entry.facts)) entry.seenAt = startedAt;
    else this.retire(entry);
    return facts;
  }
}

/** A failure to close loses nothing, because the file was only read. */
async function closeQuietly(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => {});
}

function share({ handle }: Entry, release: () => void): SharedFile {
  return { read: (into, position) => readAt(handle.fd, into, position), release };
}

/** Avoids the promises of `FileHandle`, which cost as much as the read itself. */
function readAt(descriptor: number, into: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, into, 0, into.length, position, (error, length) =>
      error === null ? resolve(length) : reject(error),
    );
  });
}

function isExpected(facts: BigIntStats, { size, modifiedUs }: ExpectedFile): boolean {
  if (modifiedUs === null) return facts.isFile() && facts.size === BigInt(size);
  return isVersion(facts, { size, modifiedUs });
}

function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

interface RestingLimits {
  /** How long an idle file stays open. */
  idleMs: number;
  /** The most idle files; the number of files in use is limited by the number of streams. */
  idleFiles: number;
}

/**
 * Open files without a reader, kept for a moment because the next request is likely to come soon.
 */
class RestingFiles<File> {
  private readonly clock: Clock;
  private readonly limits: RestingLimits;
  private readonly close: (file: File) => Promise<void>;
  /** When each file became idle, measured by `clock.elapsed()`; the longest idle first. */
  private readonly resting = new Map<File, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param close also removes the file from this list */
  constructor(clock: Clock, limits: RestingLimits, close: (file: File) => Promise<void>) {
    this.clock = clock;
    this.limits = limits;
    this.close = close;
  }

  add(file: File): void {
    this.resting.set(file, this.clock.elapsed());
    const [oldest] = this.resting.size > this.limits.idleFiles ? this.resting.keys() : [];
    if (oldest !== undefined) void this.close(oldest);
    this.closeRestedIn(this.limits.idleMs);
  }

  /** Removes a file that is read again or closed already. */
  remove(file: File): void {
    this.resting.delete(file);
  }

  async closeAll(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await Promise.all([...this.resting.keys()].map((file) => this.close(file)));
  }

  private closeRested(): void {
    const now = this.clock.elapsed();
    const { idleMs } = this.limits;
    this.timer = undefined;
    for (const [file, since] of this.resting) {
      if (now - since >= idleMs) void this.close(file);
      else this.closeRestedIn(Math.max(1, idleMs - (now - since)));
    }
  }

  private closeRestedIn(ms: number): void {
    this.timer ??= setTimeout(() => this.closeRested(), ms).unref();
  }
}
