import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Http2ServerRequest } from 'node:http2';
import { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { clientAddress, isLoopback } from '../../../http/addresses/client-address.ts';
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
