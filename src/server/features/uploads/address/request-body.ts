import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../../http/pipeline/errors.ts';

/** The bytes that a request brings. */
export interface RequestBody {
  /** What it says that it brings; null when it does not say. */
  length: number | null;
  /** @throws when it ends before its end */
  chunks(): AsyncIterable<Uint8Array>;
  /** Ends it at once, and the connection or stream with it. */
  cut(): void;
}

/** @throws Refusal 400 for a length that is none, 415 for compressed bytes */
export function readRequestBody({ raw, headers }: FastifyRequest): RequestBody {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Refusal('unsupported_media_type', { message: 'Only the bytes of the file themselves can be taken.' });
  return { length: lengthOf(raw), chunks: () => wholeBody(raw), cut: () => raw.destroy() };
}

function lengthOf({ headers, httpVersionMajor }: IncomingMessage): number | null {
  const { 'content-length': length, 'transfer-encoding': transfer } = headers;
  if (length === undefined) return httpVersionMajor === 1 && transfer === undefined ? 0 : null;
  const bytes = Number(length);
  if (!/^\d+$/.test(length) || !Number.isSafeInteger(bytes)) throw new Refusal('bad_request');
  return bytes;
}

/** A stream of HTTP/2 that is cut ends like one that is whole. */
async function* wholeBody(raw: IncomingMessage): AsyncIterable<Uint8Array> {
  yield* raw;
  if (raw.aborted) throw new Refusal('bad_request', { message: 'The connection ended before the file.' });
}
