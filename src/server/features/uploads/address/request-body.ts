import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../../http/pipeline/errors.ts';

/** The bytes that a request brings. */
export interface RequestBody {
  /** What it says that it brings; null when it does not say. */
  length: number | null;
  /** @throws when it ends before its end */
  chunks(): AsyncIterable<Uint8Array>;
  /** Gives the memory of chunks back, which are no longer of use. */
  free(chunks: readonly Uint8Array[]): void;
  /** Ends it at once, and the connection or stream with it. */
  cut(): void;
}

/** @throws Refusal 400 for a length that is none, 415 for compressed bytes */
export function readRequestBody({ raw, headers }: FastifyRequest): RequestBody {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal('unsupported_media_type', { message: 'Only the bytes of the file themselves can be taken.' });
  // What comes from elsewhere, as in tests, may still be of use to whoever made it.
  const isOurs = raw.socket instanceof Socket;
  return {
    length: lengthOf(raw),
    chunks: () => wholeBody(raw),
    free: (chunks) => {
      if (isOurs) for (const chunk of chunks) freeNow(chunk);
    },
    cut: () => raw.destroy(),
  };
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
async function* wholeBody(raw: IncomingMessage): AsyncIterable<Uint8Array> {
  try {
    yield* raw;
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
