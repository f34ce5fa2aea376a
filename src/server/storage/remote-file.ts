import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { ExpectedFile, OpenedFile, SharedFile } from './storage.ts';

/** Whatever gives the bytes of files that lie elsewhere. */
export interface RemoteReader {
  /** Null if the file does not exist. */
  head(name: string): Promise<{ bytes: number; modifiedUs: number } | null>;
  /**
   * Asks for a file, or for a part of it, of which both ends count. What nobody reads is not
   * fetched.
   * @returns null if the file does not exist
   */
  get(name: string, window: FileWindow | null, signal?: AbortSignal): Promise<RemoteBytes | null>;
}

/** Bytes on their way, and the facts of the whole file. */
interface RemoteBytes {
  bytes: AsyncIterable<Uint8Array>;
  size: number;
  modifiedUs: number;
}

/** A request that nobody has read from for so long is ended. */
const idleMs = 20_000;
/** Fewer bytes than this are read and passed over: a new request takes longer. */
const gapBytes = 256 * 1024;

interface Running {
  chunks: AsyncIterator<Uint8Array>;
  /** The bytes that have come and are not read yet. */
  rest: Uint8Array;
  /** The position of `rest` in the file. */
  at: number;
}

/**
 * A file that lies elsewhere, read from one position to another by one request. What is read from
 * somewhere else, or after a long pause, takes another one.
 */
export class RemoteFile implements SharedFile {
  private readonly reader: RemoteReader;
  private readonly name: string;
  private readonly size: number;
  /** The last byte that is going to be read. */
  private readonly end: number;
  private running: Running | null = null;
  private idle: NodeJS.Timeout | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private isReleased = false;

  private constructor(reader: RemoteReader, name: string, { size, end }: { size: number; end: number }) {
    this.reader = reader;
    this.name = name;
    this.size = size;
    this.end = end;
  }

  /**
   * @param window what is going to be read, which is asked for at once; null: nothing, and nobody is
   * asked; absent: anything, and the facts of the file are asked for
   * @throws what the reader throws
   */
  static async open(
    reader: RemoteReader,
    name: string,
    expected: ExpectedFile,
    window?: FileWindow | null,
  ): Promise<OpenedFile> {
    const file = new RemoteFile(reader, name, { size: expected.size, end: window?.end ?? expected.size - 1 });
    if (window === null) return { kind: 'opened', file };
    const found = window === undefined ? await askFacts(reader, name) : await file.begin(window.start);
    if (found !== null && isExpected(found, expected)) return { kind: 'opened', file };
    file.release();
    return { kind: found === null ? 'gone' : 'changed' };
  }

  arrive(position: number): Promise<void> {
    return this.inTurn(async () => {
      if (position < this.size) await this.reach(position);
    });
  }

  read(into: Buffer, position: number): Promise<number> {
    return this.inTurn(() => this.readNow(into, position));
  }

  release(): void {
    this.isReleased = true;
    this.stop();
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const working = this.turn.then(work);
    this.turn = working.catch(() => {});
    return working;
  }

  private async readNow(into: Buffer, position: number): Promise<number> {
    if (position >= this.size || into.length === 0) return 0;
    const running = await this.reach(position);
    const length = Math.min(running.rest.length, into.length);
    into.set(running.rest.subarray(0, length));
    running.rest = running.rest.subarray(length);
    running.at += length;
    return length;
  }

  /** @returns the request that has bytes at this position */
  private async reach(position: number): Promise<Running> {
    const { running } = this;
    clearTimeout(this.idle);
    const isAhead = running !== null && position >= running.at && position - running.at <= gapBytes;
    if (!isAhead) {
      this.stop();
      // Its size and time were compared when it was opened.
      if ((await this.begin(position)) === null) throw new Error('The file is gone.');
    }
    const current = this.running;
    if (current === null) throw new Error('The file is closed.');
    while (current.at + current.rest.length <= position) {
      current.at += current.rest.length;
      const { done, value } = await current.chunks.next();
      if (done === true) throw new RangeError('The file is shorter than it was.');
      current.rest = value;
    }
    const passed = position - current.at;
    current.rest = current.rest.subarray(passed);
    current.at = position;
    this.watchIdle();
    return current;
  }

  private async begin(start: number): Promise<{ size: number; modifiedUs: number } | null> {
    const found = await this.reader.get(this.name, { start, end: Math.max(this.end, start) });
    if (found === null) return null;
    const chunks = found.bytes[Symbol.asyncIterator]();
    if (this.isReleased) await chunks.return?.();
    else this.running = { chunks, rest: new Uint8Array(), at: start };
    this.watchIdle();
    return found;
  }

  private watchIdle(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.stop(), idleMs).unref();
  }

  /** Ends the request. A failure to end it loses nothing. */
  private stop(): void {
    clearTimeout(this.idle);
    void this.running?.chunks.return?.().catch(() => {});
    this.running = null;
  }
}

async function askFacts(reader: RemoteReader, name: string): Promise<{ size: number; modifiedUs: number } | null> {
  const found = await reader.head(name);
  return found === null ? null : { size: found.bytes, modifiedUs: found.modifiedUs };
}

function isExpected(found: { size: number; modifiedUs: number }, { size, modifiedUs }: ExpectedFile): boolean {
  return found.size === size && (modifiedUs === null || found.modifiedUs === modifiedUs);
}
