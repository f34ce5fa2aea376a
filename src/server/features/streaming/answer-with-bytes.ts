import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#contract/limits.ts';
import { contentRange, readByteRange } from '../../http/pipeline/byte-range.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { answered } from '../../http/pipeline/route.ts';
import type { SentBytes } from '../../http/sent-bytes/sent-bytes.ts';
import { contentTypes } from '../../media/containers/container-sniff.ts';
import type { Video } from '../videos/video.ts';
import { versionOf } from '../videos/video.ts';
import type { ByteSender } from './byte-sender.ts';
import type { FileSource } from './chunk-reader.ts';
import type { Validators } from './preconditions.ts';
import { isFresh, mayUseRange } from './preconditions.ts';

export interface ByteServices {
  sender: ByteSender;
  sentBytes: SentBytes;
}

export interface ByteCall {
  request: FastifyRequest;
  reply: FastifyReply;
  video: Video;
  file: FileSource;
  /** Most bytes of an answer to a range. */
  piece: number | undefined;
  /** The version that the address names. */
  version: string | undefined;
}

/** RFC 9110, sections 13 to 15: a 304, a 206, a 416 or the whole. */
export async function answerWithBytes(
  { sender, sentBytes }: ByteServices,
  { request, reply, video, file, piece, version }: ByteCall,
): Promise<typeof answered> {
  const validators = validatorsOf(video);
  const rangeHeader =
    request.method === 'GET' && mayUseRange(request.headers, validators) ? request.headers.range : undefined;
  const asked = readByteRange(rangeHeader, video.size, piece);
  if (isFresh(request.headers, validators)) {
    reply
      .headers(mediaHeaders(video, validators, version))
      .code(304)
      .send();
    return answered;
  }
  if (asked.kind === 'unsatisfiable')
    throw new Refusal('range_not_satisfiable', { headers: { 'content-range': `bytes */${video.size}` } });
  const window = asked.kind === 'part' ? asked.window : { start: 0, end: video.size - 1 };
  const sendHead = () => {
    const headers = headersOf(reply);
    Object.assign(headers, mediaHeaders(video, validators, version));
    headers['content-length'] = window.end - window.start + 1;
    if (asked.kind === 'part') headers['content-range'] = contentRange(window, video.size);
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
  await sender.send({ response: reply.raw, viewer, sendHead, readFailed }, file, window);
  // Who left before the first bytes were there gets no head either.
  if (!reply.sent) reply.hijack();
  return answered;
}

/** What was said of the answer before its bytes were looked for; the caller's own. */
function headersOf(reply: FastifyReply): Record<string, string | number | string[]> {
  return reply.getHeaders() as Record<string, string | number | string[]>;
}

/** A player asks for one range of a video after the other, and each time it is the same object. */
const known = new WeakMap<Video, Validators>();

function validatorsOf(video: Video): Validators {
  const kept = known.get(video);
  if (kept !== undefined) return kept;
  const validators = { etag: `"${versionOf(video)}"`, lastModified: new Date(video.modifiedUs / 1000).toUTCString() };
  known.set(video, validators);
  return validators;
}

const keepSeconds = limits.mediaUrlHours * 3_600;

/** Only an address that names these very bytes may be kept without asking; any other is asked for again. */
function mediaHeaders(
  video: Video,
  { etag, lastModified }: Validators,
  version: string | undefined,
): Record<string, string> {
  return {
    'accept-ranges': 'bytes',
    'cache-control': `"${version}"` === etag ? `private, max-age=${keepSeconds}, immutable` : 'private, no-cache',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': video.container === null ? 'application/octet-stream' : contentTypes[video.container],
    etag,
    'last-modified': lastModified,
    'x-content-type-options': 'nosniff',
  };
}
