import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import { shortenWindow } from '#contract/rules/file-windows.ts';
import { isOutOfDescriptors } from '../../storage/disk-space.ts';
import { answerError } from './errors.ts';
import { answered } from './route.ts';

const forever = 'public, max-age=31536000, immutable';
const askEachTime = 'no-cache';

/**
 * Serves the built app: hashed files are cached for ever, the others are revalidated on each use.
 * Compressed copies next to a file are preferred.
 */
export async function serveApp(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) {
    app.log.warn(`The app is not built: browsers find no page here. npm run build makes it in ${folder}.`);
    return;
  }
  await app.register(async (files) => {
    files.setErrorHandler(async (error, request, reply) =>
      answerError((await missDescriptors(folder)) ?? error, request, reply),
    );
    await files.register(fastifyStatic, {
      root: folder,
      preCompressed: true,
      cacheControl: false,
      dotfiles: 'ignore',
      setHeaders: (reply, path) =>
        reply.header('cache-control', path.includes(`${sep}assets${sep}`) ? forever : askEachTime),
    });
  });
}

/**
 * The static plugin answers 'forbidden' for any folder that it cannot list, whatever the reason.
 * @returns the error if no descriptor is left, else null
 */
async function missDescriptors(folder: string): Promise<unknown> {
  try {
    await (await open(folder)).close();
    return null;
  } catch (error) {
    return isOutOfDescriptors(error) ? error : null;
  }
}

/** Fast settings, as each answer is compressed anew. */
const encodings = [
  {
    name: 'br',
    compress: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  },
  { name: 'gzip', compress: (text: string) => promisify(gzip)(text) },
] as const;

/** Compresses a text answer as its client accepts it. Files have compressed copies next to them. */
export async function compressText(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<string | Buffer> {
  const taken = readEncodings(headers['accept-encoding']);
  const encoding = encodings.find(({ name }) => taken.has(name));
  reply.header('vary', 'accept-encoding');
  if (encoding === undefined) return text;
  const compressed = await encoding.compress(text);
  reply.header('content-encoding', encoding.name);
  return compressed;
}

/** The encodings that an `Accept-Encoding` names without a weight. */
export function readEncodings(header = ''): Set<string> {
  return new Set(header.split(',').map((name) => name.trim()));
}

/** Sends an answer with an ETag, to be revalidated on each use: 304 while nothing has changed. */
export function sendWithEtag(request: FastifyRequest, reply: FastifyReply, body: object): typeof answered {
  const etag = `"${createHash('sha1').update(JSON.stringify(body)).digest('base64url')}"`;
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (isNamed(request.headers['if-none-match'], etag)) reply.code(304).send();
  else reply.send(body);
  return answered;
}

/** Whether an `If-None-Match` names this ETag; weak comparison (RFC 9110 section 13.1.2). */
export function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const names = header.split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes('*') || names.includes(etag);
}

/** The meaning of a `Range` header: the whole file, one range, or a range that does not exist. */
type RangeAnswer = { kind: 'whole' } | { kind: 'part'; window: FileWindow } | { kind: 'unsatisfiable' };

const whole: RangeAnswer = { kind: 'whole' };
const unsatisfiable: RangeAnswer = { kind: 'unsatisfiable' };

/**
 * Reads a `Range` header by RFC 9110 section 14. Units other than bytes are ignored, as the RFC
 * requires. Several ranges are answered with the whole file, since an attacker could multiply the
 * server's work with multipart answers. A value that cannot be read as a range is not satisfiable.
 * @param size of the file in bytes
 * @param piece most bytes of one answer; only ranges are shortened, never the whole
 */
export function readByteRange(header: string | undefined, size: number, piece?: number): RangeAnswer {
  if (header === undefined) return whole;
  const [, unit, spec] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(header) ?? [];
  if (unit?.toLowerCase() !== 'bytes' || spec === undefined || spec.includes(',')) return whole;
  const window = readSpec(spec.trim(), size);
  if (window === null) return unsatisfiable;
  return { kind: 'part', window: piece === undefined ? window : shortenWindow(window, piece) };
}

/** `Content-Range` of a 206. */
export function contentRange(window: FileWindow, size: number): string {
  return `bytes ${window.start}-${window.end}/${size}`;
}

function readSpec(spec: string, size: number): FileWindow | null {
  const [, firstDigits, lastDigits] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (firstDigits === undefined || lastDigits === undefined) return null;
  if (firstDigits === '') return lastDigits === '' ? null : suffixOf(readOffset(lastDigits), size);
  const start = readOffset(firstDigits);
  const end = lastDigits === '' ? size - 1 : Math.min(readOffset(lastDigits), size - 1);
  return start >= size || end < start ? null : { start, end };
}

function suffixOf(length: number, size: number): FileWindow | null {
  return length === 0 || size === 0 ? null : { start: Math.max(0, size - length), end: size - 1 };
}

/** Digits above 2^53 lose precision; no file is that long, so infinity is equivalent. */
function readOffset(digits: string): number {
  const offset = Number(digits);
  return Number.isSafeInteger(offset) ? offset : Number.POSITIVE_INFINITY;
}
