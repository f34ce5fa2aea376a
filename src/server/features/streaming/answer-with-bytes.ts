import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#contract/limits.ts';
import { contentRange, readByteRange } from '../../http/pipeline/byte-range.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { answered } from '../../http/pipeline/route.ts';
import type { Deliveries } from '../../http/sent-bytes/deliveries.ts';
import type { SentBytes } from '../../http/sent-bytes/sent-bytes.ts';
import type { ByteSender } from './byte-sender.ts';
import type { FileSource } from './chunk-reader.ts';
import { socketOf } from './client-watch.ts';
import type { MediaFile } from './media-file.ts';
import { isFresh, mayUseRange } from './preconditions.ts';

export interface ByteServices {
  sender: ByteSender;
  sentBytes: SentBytes;
  deliveries: Deliveries;
}

export interface ByteCall {
  request: FastifyRequest;
  reply: FastifyReply;
  file: MediaFile;
  /** Where its bytes are read. */
  source: FileSource;
  /** Most bytes of an answer to a range. */
  piece: number | undefined;
  /** The version that the address names. */
  version: string | undefined;
}

/** RFC 9110, sections 13 to 15: a 304, a 206, a 416 or the whole. */
export async function answerWithBytes(
  { sender, sentBytes, deliveries }: ByteServices,
  { request, reply, file, source, piece, version }: ByteCall,
): Promise<typeof answered> {
  const { size } = file;
  const rangeHeader =
    request.method === 'GET' && mayUseRange(request.headers, file) ? request.headers.range : undefined;
  const asked = readByteRange(rangeHeader, size, piece);
  if (isFresh(request.headers, file)) {
    reply.headers(mediaHeaders(file, version)).code(304).send();
    return answered;
  }
  if (asked.kind === 'unsatisfiable')
    throw new Refusal('range_not_satisfiable', { headers: { 'content-range': `bytes */${size}` } });
  const window = asked.kind === 'part' ? asked.window : { start: 0, end: size - 1 };
  const sendHead = () => {
    const headers = headersOf(reply);
    Object.assign(headers, mediaHeaders(file, version));
    headers['content-length'] = window.end - window.start + 1;
    if (asked.kind === 'part') headers['content-range'] = contentRange(window, size);
    reply.raw.writeHead(asked.kind === 'part' ? 206 : 200, headers);
    // From here on the answer is ours: bytes never go through the framework.
    reply.hijack();
  };
  if (request.method === 'HEAD') {
    sendHead();
    reply.raw.end();
    return answered;
  }
  // The answer cannot say it any more: it only ends early.
  const readFailed = (error: unknown) =>
    request.log.error({ err: error, request_id: request.id }, 'a video could not be read to the end of an answer');
  const viewer = sentBytes.viewer(request);
  const socket = socketOf(reply.raw);
  const endDelivery = socket && deliveries.begin(socket, viewer);
  try {
    await sender.send({ response: reply.raw, viewer, sendHead, readFailed }, source, window);
  } finally {
    endDelivery?.();
  }
  // Who left before the first bytes were there gets no head either.
  if (!reply.sent) reply.hijack();
  return answered;
}

/** What was said of the answer before its bytes were looked for; the caller's own. */
function headersOf(reply: FastifyReply): Record<string, string | number | string[]> {
  return reply.getHeaders() as Record<string, string | number | string[]>;
}

const keepSeconds = limits.mediaUrlHours * 3_600;

/** Only an address that names these very bytes may be kept without asking; any other is asked for again. */
function mediaHeaders(file: MediaFile, version: string | undefined): Record<string, string> {
  return {
    'accept-ranges': 'bytes',
    'cache-control': version === file.version ? `private, max-age=${keepSeconds}, immutable` : 'private, no-cache',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': file.contentType,
    etag: file.etag,
    'last-modified': file.lastModified,
    'x-content-type-options': 'nosniff',
  };
}
