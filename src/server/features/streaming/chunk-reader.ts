import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { BufferPool, Lease } from './buffer-pool.ts';

/** Where bytes come from. */
export interface ByteSource {
  /** Of the file, where it is one. */
  readonly descriptor?: number;
  /** @returns how many bytes came; 0 past the end */
  read(into: Buffer, position: number): Promise<number>;
}

/** Bytes that were read and wait to be written. */
export interface Chunk {
  lease: Lease;
  bytes: Buffer;
}

/** For whom it is read. */
export interface Reader {
  readonly isGone: boolean;
  /** Fulfilled when it has gone. */
  whenGone(): Promise<void>;
}

/** Reads a window of a file from its start to its end. */
export interface ChunkReader {
  readonly isAtEnd: boolean;
  /** What is still to come. */
  readonly rest: FileWindow;
  /**
   * What comes next goes another way, unless it is being read already.
   * @param send tells how many bytes of the rest it took, counted from its start
   * @returns as many
   */
  leave(send: (rest: FileWindow) => number): number;
  /**
   * @returns null at the end, or when its reader has gone
   * @throws when the file cannot be read or has become shorter
   */
  next(mostBytes: number): Promise<Chunk | null>;
  /** Begins with what comes next when there is memory to spare. */
  prepare(mostBytes: number): void;
  /** Lets go of what was prepared: it is read again when its turn comes. */
  drop(): void;
  /** Fulfilled when nothing is being read any more. */
  close(): Promise<void>;
}

export interface ChunkReaderParts {
  pool: BufferPool;
  source: ByteSource;
  reader: Reader;
  /** The connection that it is read for. */
  owner: object;
}

export function createChunkReader({ pool, source, reader, owner }: ChunkReaderParts, { start, end }: FileWindow): ChunkReader {
  let at = start;
  let prepared: Promise<Chunk> | null = null;
  let lettingGo: Promise<unknown> = Promise.resolve();

  async function fill(lease: Lease): Promise<Chunk> {
    try {
      const length = await source.read(lease.buffer.subarray(0, Math.min(lease.buffer.length, end - at + 1)), at);
      if (length === 0) throw new RangeError('The file became shorter.');
      return { lease, bytes: lease.buffer.subarray(0, length) };
    } catch (error) {
      lease.giveBack();
      throw error;
    }
  }

  async function readNext(mostBytes: number): Promise<Chunk | null> {
    const lease = await take(Math.min(mostBytes, end - at + 1));
    if (lease === null || !reader.isGone) return lease && fill(lease);
    lease.giveBack();
    return null;
  }

  /** Whoever goes while it waits is held for no longer, and its turn is the next one's. */
  async function take(bytes: number): Promise<Lease | null> {
    const now = pool.takeNow(bytes);
    if (now !== null) return now;
    const turn = pool.take(bytes, owner);
    const first = await Promise.race([turn, reader.whenGone()]);
    if (first !== undefined) return first;
    turn.then((lease) => lease.giveBack(), ignore);
    return null;
  }

  function drop(): void {
    const dropped = prepared;
    prepared = null;
    if (dropped !== null) lettingGo = Promise.all([lettingGo, dropped.then(({ lease }) => lease.giveBack(), ignore)]);
  }

  return {
    get isAtEnd() {
      return at > end;
    },
    get rest() {
      return { start: at, end };
    },
    leave(send) {
      const sent = prepared === null && at <= end ? send({ start: at, end }) : 0;
      at += sent;
      return sent;
    },
    async next(mostBytes) {
      if (at > end || reader.isGone) return null;
      const ready = prepared;
      prepared = null;
      const chunk = ready === null ? await readNext(mostBytes) : await ready;
      at += chunk?.bytes.length ?? 0;
      return chunk;
    },
    prepare(mostBytes) {
      const lease = at > end ? null : pool.takeSpare(Math.min(mostBytes, end - at + 1));
      if (lease === null) return;
      prepared = fill(lease);
      // Whoever asks for it hears of it.
      prepared.catch(ignore);
    },
    drop,
    async close() {
      drop();
      await lettingGo;
    },
  };
}

function ignore(): void {}
