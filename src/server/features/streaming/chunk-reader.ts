import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { constants } from 'node:http2';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { SharedFile } from '../../storage/storage.ts';
import type { BufferLease, BufferPool, DepartingClient } from './buffer-pool.ts';

/** A source of bytes, such as an open file. */
export type FileSource = Pick<SharedFile, 'arrive' | 'read'>;

/** Bytes that were read and are ready to be written. */
export interface Chunk {
  lease: BufferLease;
  bytes: Buffer;
}

/** The client that the bytes are read for. */
interface Reader extends DepartingClient {
  readonly isGone: boolean;
}

interface ChunkReaderDeps {
  pool: BufferPool;
  source: FileSource;
  reader: Reader;
  /** The connection that the answer belongs to. */
  owner: object;
}

/** Reads a window of a file from its start to its end. */
export class ChunkReader {
  private readonly deps: ChunkReaderDeps;
  private readonly end: number;
  private at: number;
  private prepared: Promise<Chunk> | null = null;
  private dropping: Promise<unknown> = Promise.resolve();

  constructor(deps: ChunkReaderDeps, { start, end }: FileWindow) {
    this.deps = deps;
    this.at = start;
    this.end = end;
  }

  get isAtEnd(): boolean {
    return this.at > this.end;
  }

  /**
   * @returns null at the end, or when the client has disconnected
   * @throws when the file cannot be read or has become shorter
   */
  async next(maxBytes: number): Promise<Chunk | null> {
    const { pool, source, reader, owner } = this.deps;
    if (this.isAtEnd || reader.isGone) return null;
    let ready = this.prepared;
    this.prepared = null;
    if (ready === null) {
      // Memory is lent only once there are bytes for it: a slow store holds none of it.
      if (source.arrive !== undefined) await source.arrive(this.at);
      if (reader.isGone) return null;
      const wanted = this.boundToRest(maxBytes);
      const lease = pool.tryAcquire(wanted) ?? (await pool.acquire(wanted, owner, reader));
      if (lease === null) return null;
      if (reader.isGone) {
        lease.release();
        return null;
      }
      ready = this.fill(lease);
    }
    const chunk = await ready;
    this.at += chunk.bytes.length;
    return chunk;
  }

  /** Starts to read the next chunk if there is memory to spare. */
  prepare(maxBytes: number): void {
    // A stalling client makes the reader drop bytes, which a store would have to send again.
    const isEarly = this.isAtEnd || this.deps.source.arrive !== undefined;
    const lease = isEarly ? null : this.deps.pool.tryAcquireSpare(this.boundToRest(maxBytes));
    if (lease === null) return;
    this.prepared = this.fill(lease);
    // A failure is reported to the caller of `next`.
    this.prepared.catch(ignore);
  }

  /** Releases the prepared chunk; it is read again when its turn comes. */
  drop(): void {
    const dropped = this.prepared;
    this.prepared = null;
    if (dropped !== null)
      this.dropping = Promise.all([this.dropping, dropped.then(({ lease }) => lease.release(), ignore)]);
  }

  /** Resolves when nothing is being read any more. */
  async close(): Promise<void> {
    this.drop();
    await this.dropping;
  }

  private async fill(lease: BufferLease): Promise<Chunk> {
    try {
      const length = await this.deps.source.read(
        lease.buffer.subarray(0, this.boundToRest(lease.buffer.length)),
        this.at,
      );
      if (length === 0) throw new RangeError('The file became shorter.');
      return { lease, bytes: lease.buffer.subarray(0, length) };
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  private boundToRest(bytes: number): number {
    return Math.min(bytes, this.end - this.at + 1);
  }
}

function ignore(): void {}

/** An HTTP/1.1 or HTTP/2 response, which is only written to, ended and cut. */
export type ByteResponse = ServerResponse | Http2ServerResponse;

interface Writer {
  write(bytes: Buffer, done: (error?: Error | null) => void): boolean;
}

/** Writes to a client, and tells whether it is still connected. */
export class ClientWatch implements Reader {
  isGone: boolean;
  private readonly writer: Writer;
  private readonly closing: NodeJS.EventEmitter;
  private notify: (() => void) | null = null;
  private readonly onClose = (): void => {
    this.isGone = true;
    this.notify?.();
  };

  constructor(response: ByteResponse) {
    this.writer = response;
    this.closing = closingOf(response);
    this.isGone = hasGone(response);
    this.closing.once('close', this.onClose);
  }

  onGone(callback: () => void): void {
    this.notify = callback;
    if (this.isGone) callback();
  }

  /**
   * @returns whether the system has taken all the bytes. The buffer must not change before the
   * promise resolves, nor after it resolves to false.
   */
  write(bytes: Buffer): Promise<boolean> {
    return new Promise((resolve) => {
      this.notify = () => resolve(false);
      this.writer.write(bytes, (error) => {
        if (error instanceof Error) this.isGone = true;
        resolve(!this.isGone);
      });
    });
  }

  end(): void {
    this.closing.off('close', this.onClose);
  }
}

/** Cuts an answer that cannot be completed, so that the client notices that it is incomplete. */
export function cut(response: ByteResponse): void {
  if (isHttp2(response)) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/**
 * Resets the connection of a client that does not read, which also frees the bytes that the system
 * holds for it.
 */
export function drop(response: ByteResponse): void {
  if (isHttp2(response) || !isPlainSocket(response.socket)) cut(response);
  else response.socket.resetAndDestroy();
}

/**
 * The emitter of `close`: an HTTP/1.1 answer that waits behind another one on its connection never
 * emits it itself.
 */
function closingOf(response: ByteResponse): NodeJS.EventEmitter {
  return isHttp2(response) || response.socket !== null ? response : response.req.socket;
}

export function hasGone(response: ByteResponse): boolean {
  return isHttp2(response) ? response.stream.destroyed : response.destroyed || response.req.socket.destroyed;
}

/**
 * The connection object, the same for every answer on it; undefined when the connection is closed.
 */
export function connectionOf(response: ByteResponse): object | undefined {
  return isHttp2(response) ? response.stream.session : response.req.socket;
}

/** The socket of the answer; for HTTP/2, the restricted proxy that the session exposes. */
export function socketOf(response: ByteResponse): Socket | undefined {
  return isHttp2(response) ? response.stream.session?.socket : response.req.socket;
}

/** A TCP socket without TLS. */
function isPlainSocket(socket: unknown): socket is Socket {
  return socket instanceof Socket && !(socket instanceof TLSSocket);
}

export function isHttp2(response: ByteResponse): response is Http2ServerResponse {
  return 'stream' in response;
}
