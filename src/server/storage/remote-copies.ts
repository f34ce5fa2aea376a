import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RemoteReader } from './remote-file.ts';
import { copyStart } from './remote-start.ts';
import type { ExpectedFile, LocalFile, OpenedFile } from './storage.ts';

const partSuffix = '.part';

/** A file that is larger than all copies together may be. */
export class TooLargeToCopy extends Error {
  constructor() {
    super('This file is larger than the room for copies (CACHE_GB).');
  }
}

interface Copy {
  name: string;
  /** The file that this process has copied; null for a copy of an earlier process. */
  remote: string | null;
  bytes: number;
  /** Programs and answers that read it, or wait for it. */
  holders: number;
  /** Ends once the whole file is there. */
  made: Promise<void>;
  isMade: boolean;
  /** Ends the making of it, when nobody waits for it any more. */
  stop: AbortController;
}

/**
 * Copies of whole remote files on this machine, for programs that need files. The one that was used
 * longest ago goes when room is needed, but none that is being read.
 */
export class RemoteCopies {
  /** Absolute. */
  readonly folder: string;
  private readonly readRoom: () => Promise<number>;
  /** The copies by their names, the one used longest ago first. */
  private readonly copies = new Map<string, Copy>();
  /** The names of the copies of this process, by the names of the remote files. */
  private readonly known = new Map<string, string>();
  private loading: Promise<void> | null = null;
  private freed: (() => void)[] = [];
  /** Counts the copies that were begun. */
  private parts = 0;

  /**
   * @param folder absolute
   * @param readRoom bytes that all copies together may take at the moment
   */
  constructor(folder: string, readRoom: () => Promise<number>) {
    this.folder = folder;
    this.readRoom = readRoom;
  }

  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.copies.values()) sum += bytes;
    return sum;
  }

  /** Whether a copy of a file is here. */
  has(remote: string): boolean {
    return this.copies.get(this.known.get(remote) ?? '')?.isMade === true;
  }

  /** Opens the copy of a file if there is one. */
  async open(remote: string, { size, modifiedUs }: ExpectedFile): Promise<OpenedFile | null> {
    const copy = this.copies.get(this.known.get(remote) ?? '');
    if (copy?.isMade !== true || copy.bytes !== size) return null;
    if (modifiedUs !== null && copy.name !== nameOf(remote, { bytes: size, modifiedUs })) return null;
    this.take(copy);
    const handle = await open(this.pathOf(copy)).catch(() => null);
    if (handle === null) {
      this.giveBack(copy);
      return null;
    }
    return { kind: 'opened', file: share(handle, () => this.giveBack(copy)) };
  }

  /**
   * Makes a copy of a file, or waits for the one that is being made.
   * @returns null if there is no such file
   * @throws TooLargeToCopy
   */
  async hold(reader: RemoteReader, remote: string, signal: AbortSignal): Promise<LocalFile | null> {
    this.loading ??= this.load();
    await this.loading;
    const facts = await reader.head(remote);
    if (facts === null) return null;
    const name = nameOf(remote, facts);
    const known = this.copies.get(name);
    // A person may have emptied the folder while the server runs.
    const isLost = known?.isMade === true && (await stat(this.pathOf(known)).catch(() => null)) === null;
    if (isLost && this.copies.get(name) === known) this.copies.delete(name);
    const copy = this.copies.get(name) ?? (await this.begin(reader, remote, facts, signal));
    this.take(copy);
    copy.remote = remote;
    this.known.set(remote, name);
    try {
      await untilAborted(copy.made, signal);
    } catch (error) {
      this.giveBack(copy);
      throw error;
    }
    return { path: this.pathOf(copy), [Symbol.asyncDispose]: async () => this.giveBack(copy) };
  }

  /**
   * Makes a file of the first bytes of another one, and of its index; see `copyStart`.
   * @returns null if there is no such file, or no index, or a copy of the whole file is here
   * @throws TooLargeToCopy
   */
  async holdStart(
    reader: RemoteReader,
    remote: string,
    { size, bytes }: { size: number; bytes: number },
    signal: AbortSignal,
  ): Promise<LocalFile | null> {
    this.loading ??= this.load();
    await this.loading;
    if (this.has(remote)) return null;
    await this.makeRoom(bytes, signal);
    this.parts += 1;
    const copy = newCopy({ name: `start.${this.parts}${partSuffix}`, remote: null, bytes });
    this.take(copy);
    this.copies.set(copy.name, copy);
    const path = this.pathOf(copy);
    const end = async () => {
      await this.remove(copy);
      this.giveBack(copy);
    };
    try {
      await using file = await open(path, 'w+', 0o600);
      if (await copyStart(reader, { name: remote, size, bytes }, file, signal))
        return { path, [Symbol.asyncDispose]: end };
    } catch (error) {
      await end();
      throw error;
    }
    await end();
    return null;
  }

  /** Removes all copies that nobody reads. */
  async clear(): Promise<void> {
    if (this.loading === null) await rm(this.folder, { recursive: true, force: true });
    for (const copy of [...this.copies.values()]) if (copy.holders === 0 && copy.isMade) await this.remove(copy);
  }

  private async begin(
    reader: RemoteReader,
    remote: string,
    facts: { bytes: number; modifiedUs: number },
    signal: AbortSignal,
  ): Promise<Copy> {
    await this.makeRoom(facts.bytes, signal);
    const name = nameOf(remote, facts);
    const present = this.copies.get(name);
    if (present !== undefined) return present;
    const copy = newCopy({ name, remote, bytes: facts.bytes });
    this.copies.set(name, copy);
    copy.made = this.make(copy, reader, remote).catch((error: unknown) => {
      if (this.copies.get(name) === copy) this.copies.delete(name);
      throw error;
    });
    // Whoever waits hears of it.
    copy.made.catch(() => {});
    return copy;
  }

  private async make(copy: Copy, reader: RemoteReader, remote: string): Promise<void> {
    // Another copy of the file may begin while this one is taken away.
    this.parts += 1;
    const part = `${this.pathOf(copy)}.${this.parts}${partSuffix}`;
    try {
      const found = await reader.get(remote, null, copy.stop.signal);
      if (found === null) throw new Error('The file is gone.');
      await pipeline(found.bytes, createWriteStream(part, { mode: 0o600 }), { signal: copy.stop.signal });
      const { size } = await stat(part);
      if (size !== copy.bytes) throw new RangeError('The file has another length than it had.');
      await rename(part, this.pathOf(copy));
      copy.isMade = true;
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  /** Removes copies that nobody reads until there is room. Waits for those that are being read. */
  private async makeRoom(bytes: number, signal: AbortSignal): Promise<void> {
    const room = await this.readRoom();
    if (bytes > room) throw new TooLargeToCopy();
    while (this.bytes + bytes > room) {
      const oldest = [...this.copies.values()].find(({ holders, isMade }) => holders === 0 && isMade);
      if (oldest === undefined) await untilAborted(new Promise((resolve) => this.freed.push(resolve)), signal);
      else await this.remove(oldest);
    }
  }

  private async remove(copy: Copy): Promise<void> {
    this.copies.delete(copy.name);
    if (copy.remote !== null && this.known.get(copy.remote) === copy.name) this.known.delete(copy.remote);
    await rm(this.pathOf(copy), { force: true });
  }

  private take(copy: Copy): void {
    copy.holders += 1;
    if (this.copies.get(copy.name) !== copy) return;
    this.copies.delete(copy.name);
    this.copies.set(copy.name, copy);
  }

  private giveBack(copy: Copy): void {
    copy.holders -= 1;
    if (copy.holders > 0) return;
    if (!copy.isMade) {
      // Whoever asks from now on gets another one.
      if (this.copies.get(copy.name) === copy) this.copies.delete(copy.name);
      copy.stop.abort();
    }
    const { freed } = this;
    this.freed = [];
    for (const tell of freed) tell();
  }

  /** Finds the copies of an earlier process, and removes what it left half made. */
  private async load(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const found: { name: string; bytes: number; usedAt: number }[] = [];
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      const facts = await stat(path).catch(() => null);
      if (name.endsWith(partSuffix)) await rm(path, { force: true });
      else if (facts?.isFile() === true) found.push({ name, bytes: facts.size, usedAt: facts.atimeMs });
    }
    found.sort((one, other) => one.usedAt - other.usedAt);
    for (const { name, bytes } of found)
      this.copies.set(name, { ...newCopy({ name, remote: null, bytes }), isMade: true });
  }

  private pathOf({ name }: Pick<Copy, 'name'>): string {
    return join(this.folder, name);
  }
}

function newCopy(facts: Pick<Copy, 'name' | 'remote' | 'bytes'>): Copy {
  return { ...facts, holders: 0, made: Promise.resolve(), isMade: false, stop: new AbortController() };
}

function nameOf(remote: string, { bytes, modifiedUs }: { bytes: number; modifiedUs: number }): string {
  return createHash('sha256').update(`${bytes} ${modifiedUs} ${remote}`).digest('hex').slice(0, 40);
}

function share(handle: FileHandle, release: () => void) {
  return {
    read: async (into: Buffer, position: number) => (await handle.read(into, 0, into.length, position)).bytesRead,
    release() {
      void handle.close().catch(() => {});
      release();
    },
  };
}

/** Ends when the work does, or when nobody waits for it any more. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
