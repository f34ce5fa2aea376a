import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Http2ServerRequest } from 'node:http2';
import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#contract/limits.ts';
import { clientAddress, isLoopback } from '../../../http/client-address.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { Shares } from '../../../limits/shares.ts';

/** The body of a request. */
export interface RequestBody {
  /** The declared length, or null. */
  length: number | null;
  /** The address of the client; null for a loopback address. */
  from: string | null;
  /** The HTTP/2 connection that carries the request. */
  session: ServerHttp2Session | null;
  /**
   * Yields the body. A caller that stops early leaves the rest to the response.
   * @param onFirst called with the arrival of the first bytes
   * @throws when the body ends early
   */
  chunks(onFirst?: () => void): AsyncIterable<Uint8Array>;
  /** Frees the memory of chunks that are no longer needed. */
  free(chunks: readonly Uint8Array[]): void;
  /** Ends the request at once, with its connection or stream. */
  cut(): void;
  /** Answers the request with a refusal, whatever its work waits for. */
  refuse(refusal: Refusal): void;
  /** Rejects when `refuse` is called. */
  refused: Promise<never>;
}

/** @throws Refusal 400 for an invalid length, 415 for compressed bytes */
export function readRequestBody(request: FastifyRequest): RequestBody {
  const { raw, headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal('unsupported_media_type', { message: 'Only the bytes of the file themselves can be taken.' });
  // Chunks from another source, as in tests, may still be used by it.
  const isOurs = raw.socket instanceof Socket;
  const { promise: refused, reject } = Promise.withResolvers<never>();
  refused.catch(() => {});
  const address = clientAddress(request);
  return {
    length: lengthOf(raw),
    from: isLoopback(address) ? null : address,
    session: sessionOf(raw),
    chunks: (onFirst = () => {}) => wholeBody(raw, onFirst),
    free: (chunks) => {
      if (isOurs) for (const chunk of chunks) freeNow(chunk);
    },
    cut: () => raw.destroy(),
    refuse: reject,
    refused,
  };
}

function sessionOf(raw: IncomingMessage | Http2ServerRequest): ServerHttp2Session | null {
  const session = raw instanceof Http2ServerRequest ? raw.stream.session : undefined;
  return session === undefined ? null : (session as ServerHttp2Session);
}

/**
 * Frees memory that nothing else reads. The garbage collector would free it too, but it scans its
 * whole heap for every 64 MiB of such memory, which would be most of the cost of an upload.
 */
function freeNow({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

function lengthOf({ headers, httpVersionMajor }: IncomingMessage): number | null {
  const { 'content-length': length, 'transfer-encoding': transfer } = headers;
  if (length === undefined) return httpVersionMajor === 1 && transfer === undefined ? 0 : null;
  const bytes = Number(length);
  if (!/^\d+$/.test(length) || !Number.isSafeInteger(bytes)) throw new Refusal('bad_request');
  return bytes;
}

/**
 * Yields the whole body. A cut HTTP/2 stream looks like one that has ended; a cut HTTP/1.1
 * connection fails.
 */
async function* wholeBody(raw: IncomingMessage, onFirst: () => void): AsyncIterable<Uint8Array> {
  try {
    // Destroying the request would lose the answer to a body that is refused.
    const chunks: AsyncIterableIterator<Uint8Array> = raw.iterator({ destroyOnReturn: false });
    const first = await chunks.next();
    if (first.done !== true) {
      onFirst();
      yield first.value;
      yield* chunks;
    }
  } catch (error) {
    if (!raw.destroyed) throw error;
    throw endedEarly();
  }
  if (raw.aborted) throw endedEarly();
}

/** A disconnect of the client is no failure of the server. */
function endedEarly(): Refusal {
  return new Refusal('bad_request', { message: 'The connection ended before the file.' });
}

/**
 * The most bytes that a client may send ahead on a stream. The usual 64 KiB would allow 5 Mbit/s at
 * 100 ms. The client learns of read bytes only after half of the window, so it is far larger than
 * what TCP keeps in flight.
 */
const windowBytes = 16 * 1024 * 1024;
/** The window of the whole connection, which all its streams share. */
const connectionWindowBytes = 32 * 1024 * 1024;
/** The default window that Node sets for each of them. */
const usualBytes = 65_535;

/** The number of raised connections: each may keep a whole window in the memory of this process. */
export const raisedLimits = { perPerson: 2, total: 16 };

interface RaisedConnection {
  /** Bodies that are being read. */
  bodies: number;
}

/**
 * Raises the window of a connection while an admitted body is being read. The window applies to all
 * streams of the connection, even to those that nobody reads: raised for every client, it would be
 * memory that anybody can take.
 */
export class RaisedWindows {
  private readonly raised = new Map<ServerHttp2Session, RaisedConnection>();
  private readonly shares = new Shares<ServerHttp2Session>(raisedLimits);

  /** Called after the first bytes of a body were read. @returns a function to call at its end */
  raise(session: ServerHttp2Session | null, person: string): () => void {
    if (session === null || session.destroyed) return () => {};
    const connection = this.raised.get(session) ?? this.begin(session, person);
    if (connection === null) return () => {};
    connection.bodies += 1;
    return () => {
      connection.bodies -= 1;
    };
  }

  /** @returns null when enough connections are raised; its uploads are slower then */
  private begin(session: ServerHttp2Session, person: string): RaisedConnection | null {
    const full = this.shares.findFull({ person });
    if (full !== null && !this.endResting(full.list())) return null;
    const connection = { bodies: 0 };
    this.raised.set(session, connection);
    this.shares.add(session, { person });
    session.once('close', () => this.forget(session));
    setWindows(session, connectionWindowBytes, windowBytes);
    return connection;
  }

  private endResting(among: readonly ServerHttp2Session[]): boolean {
    const resting = among.find((session) => this.raised.get(session)?.bodies === 0);
    if (resting === undefined) return false;
    this.forget(resting);
    if (!resting.destroyed) setWindows(resting, usualBytes, usualBytes);
    return true;
  }

  private forget(session: ServerHttp2Session): void {
    this.raised.delete(session);
    this.shares.remove(session);
  }
}

function setWindows(session: ServerHttp2Session, ofConnection: number, ofStream: number): void {
  session.setLocalWindowSize(ofConnection);
  session.settings({ initialWindowSize: ofStream });
}

/** https://tus.io/protocols/resumable-upload */
const tusVersion = '1.0.0';
const patchType = 'application/offset+octet-stream';

/** Headers of every response of an upload address. */
export const everyAnswer = { 'tus-resumable': tusVersion, 'cache-control': 'no-store' };

/** The algorithms of `Upload-Checksum`, by their names in tus. */
const checksumAlgorithms = ['sha1', 'sha256', 'sha512', 'md5'] as const;

/** The headers of the answer to `OPTIONS`. */
export const abilities = {
  'tus-version': tusVersion,
  'tus-extension': 'checksum,termination,expiration',
  'tus-max-size': String(limits.uploadBytes),
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
};

/** @throws Refusal 412 */
export function requireVersion({ headers }: Pick<FastifyRequest, 'headers'>): void {
  if (headers['tus-resumable'] !== tusVersion)
    throw new Refusal('precondition_failed', { headers: { 'tus-version': tusVersion } });
}

/** @throws Refusal 400, 415 */
export function readPatchOffset({ headers }: Pick<FastifyRequest, 'headers'>): number {
  if (headers['content-type'] !== patchType)
    throw new Refusal('unsupported_media_type', { message: `A part of a file is sent as ${patchType}.` });
  const offset = headers['upload-offset'];
  const bytes = Number(offset);
  if (typeof offset !== 'string' || !/^\d+$/.test(offset) || !Number.isSafeInteger(bytes))
    throw new Refusal('bad_request', { message: 'Upload-Offset has to be a number of bytes.' });
  return bytes;
}

export function headerOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** @param expiry epoch milliseconds */
export function setExpiry(reply: FastifyReply, expiry: number): void {
  reply.header('upload-expires', new Date(expiry).toUTCString());
}

const digestBytes: Record<(typeof checksumAlgorithms)[number], number> = { sha1: 20, sha256: 32, sha512: 64, md5: 16 };

/** The expected checksum of the bytes of one request. */
export interface Checksum {
  add(chunk: Uint8Array): void;
  /** Called once, after the last chunk. */
  matches(): boolean;
}

/**
 * Returns null without a header.
 * @throws Refusal 400 for an unknown algorithm or an invalid digest
 */
export function readChecksum(header: string | undefined): Checksum | null {
  if (header === undefined) return null;
  const [name, digest = ''] = header.trim().split(' ');
  const algorithm = checksumAlgorithms.find((known) => known === name);
  const expected = Buffer.from(digest, 'base64');
  if (algorithm === undefined || expected.length !== digestBytes[algorithm])
    throw new Refusal('bad_request', {
      message: `A checksum is one of ${checksumAlgorithms.join(', ')}, with its digest in Base64.`,
    });
  const hash = createHash(algorithm);
  return {
    add: (chunk) => void hash.update(chunk),
    matches: () => hash.digest().equals(expected),
  };
}
