import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Http2ServerRequest } from 'node:http2';
import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#contract/limits.ts';
import { clientAddress, isLoopback } from '../../../http/client-address.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';

/** The bytes that a request brings. */
export interface RequestBody {
  /** What it says that it brings; null when it does not say. */
  length: number | null;
  /** The address that it comes from; null for this machine's own. */
  from: string | null;
  /** The HTTP/2 connection that it comes over. */
  session: ServerHttp2Session | null;
  /**
   * Whoever stops reading leaves the rest to the answer.
   * @param onFirst called once something has come
   * @throws when it ends before its end
   */
  chunks(onFirst?: () => void): AsyncIterable<Uint8Array>;
  /** Gives the memory of chunks back, which are no longer of use. */
  free(chunks: readonly Uint8Array[]): void;
  /** Ends it at once, and the connection or stream with it. */
  cut(): void;
  /** Has it answered with a refusal, whatever the work on it waits for. */
  refuse(refusal: Refusal): void;
  /** Rejects when it was refused so. */
  refused: Promise<never>;
}

/** @throws Refusal 400 for a length that is none, 415 for compressed bytes */
export function readRequestBody(request: FastifyRequest): RequestBody {
  const { raw, headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal('unsupported_media_type', { message: 'Only the bytes of the file themselves can be taken.' });
  // What comes from elsewhere, as in tests, may still be of use to whoever made it.
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
 * Memory that nothing else looks at. The garbage collector would find it, but it sees much memory outside of its heap and
 * little within, and goes through the whole heap for every 64 MiB: most of what an upload would cost.
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

/** A stream of HTTP/2 that is cut ends like one that is whole; a connection of HTTP/1.1 fails. */
async function* wholeBody(raw: IncomingMessage, onFirst: () => void): AsyncIterable<Uint8Array> {
  try {
    // The answer to a body that is refused would be lost with the connection.
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

/** Clients go away all the time: no failure of the server. */
function endedEarly(): Refusal {
  return new Refusal('bad_request', { message: 'The connection ended before the file.' });
}

/**
 * What a client may send ahead. The usual 64 KiB would be 5 Mbit/s at 100 ms. Of what has been read the client hears when
 * it is half of this, so that it has to be far more than what TCP keeps on its way.
 */
const windowBytes = 16 * 1024 * 1024;
/** Of the whole connection, which all its streams share. */
const connectionWindowBytes = 32 * 1024 * 1024;
/** What Node gives each of them. */
const usualBytes = 65_535;

/** Each may have a whole window of its connection in the memory of this process. */
export const raisedLimits = { perPerson: 2, total: 16 };

interface RaisedConnection {
  person: string;
  /** Bodies that are being read. */
  bodies: number;
}

/**
 * Lets connections bring more at a time while somebody's body is being read over them. A window belongs to all streams of
 * a connection, also to those that nobody reads yet: for everybody it would be memory that anybody can take.
 */
export class RaisedWindows {
  private readonly raised = new Map<ServerHttp2Session, RaisedConnection>();

  /** The first bytes of a body were read. @returns what to call at its end */
  raise(session: ServerHttp2Session | null, person: string): () => void {
    if (session === null || session.destroyed) return () => {};
    const connection = this.raised.get(session) ?? this.begin(session, person);
    if (connection === null) return () => {};
    connection.bodies += 1;
    return () => {
      connection.bodies -= 1;
    };
  }

  /** @returns null when there are enough of them; its uploads are slower then */
  private begin(session: ServerHttp2Session, person: string): RaisedConnection | null {
    const own = [...this.raised].filter(([, raised]) => raised.person === person);
    if (own.length >= raisedLimits.perPerson && !this.endResting(own)) return null;
    if (this.raised.size >= raisedLimits.total && !this.endResting([...this.raised])) return null;
    const connection = { person, bodies: 0 };
    this.raised.set(session, connection);
    session.once('close', () => this.raised.delete(session));
    setWindows(session, connectionWindowBytes, windowBytes);
    return connection;
  }

  private endResting(among: readonly [ServerHttp2Session, RaisedConnection][]): boolean {
    const resting = among.find(([, { bodies }]) => bodies === 0);
    if (resting === undefined) return false;
    this.raised.delete(resting[0]);
    if (!resting[0].destroyed) setWindows(resting[0], usualBytes, usualBytes);
    return true;
  }
}

function setWindows(session: ServerHttp2Session, ofConnection: number, ofStream: number): void {
  session.setLocalWindowSize(ofConnection);
  session.settings({ initialWindowSize: ofStream });
}

/** https://tus.io/protocols/resumable-upload */
const tusVersion = '1.0.0';
const patchType = 'application/offset+octet-stream';

/** On every answer of an address. */
export const everyAnswer = { 'tus-resumable': tusVersion, 'cache-control': 'no-store' };

/** Of `Upload-Checksum`, by their names in tus. */
const checksumAlgorithms = ['sha1', 'sha256', 'sha512', 'md5'] as const;

/** What `OPTIONS` tells. */
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

/** What the bytes of one request have to come to. */
export interface Checksum {
  add(chunk: Uint8Array): void;
  /** Once, after the last. */
  matches(): boolean;
}

/** Null without a header. @throws Refusal 400 for an algorithm that is not known, or what is no digest */
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
