import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from './errors.ts';

/** The longest `{path}` segment, percent-encoded: 4,096 bytes, about a hundred of them escaped. */
export const longestSegment = 6_000;

const videoTags = /^\/api\/videos\/([^?]+)\/tags(\/[^/?]*)?(\?.*)?$/;

/**
 * Encodes a video's path as the single segment that the tag routes expect, for clients that leave
 * its slashes unencoded: `/api/videos/a/b.mp4/tags` becomes `/api/videos/a%2Fb.mp4/tags`.
 */
export function encodePathSegment(url: string): string {
  const [, path, tag = '', query = ''] = videoTags.exec(url) ?? [];
  return path === undefined ? url : `/api/videos/${path.replaceAll('/', '%2F')}/tags${tag}${query}`;
}

/**
 * Refuses a query with invalid percent-encoding: it would be taken literally and name another
 * video. Refuses NUL, which no name contains and PostgreSQL cannot store.
 */
export async function refuseBadEncoding(request: FastifyRequest): Promise<void> {
  if (request.url.includes('%00')) throw new Refusal('bad_request');
  const query = request.url.split('?', 2)[1];
  if (query === undefined || !query.includes('%')) return;
  try {
    decodeURIComponent(query);
  } catch {
    throw new Refusal('bad_request', { message: 'This address is not encoded as UTF-8.' });
  }
}

/** The deepest nesting of an accepted body; the app's own bodies have at most five levels. */
const deepest = 32;

const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Parses JSON as the framework does, but also accepts an empty body for calls that need none, and
 * refuses deep nesting, on which recursive code would overflow the stack.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '' && request.routeOptions.config.takesBody !== true) done(null, undefined);
    else if (isNestedDeeper(String(body), deepest))
      done(new Refusal('bad_request', { message: 'This is nested too deeply.' }));
    else parse(request, String(body), done);
  });
}

/** Counts brackets outside of strings, in one pass; the parser decides whether it is JSON. */
export function isNestedDeeper(json: string, most: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (isInString && code === backslash) at += 1;
    else if (code === quote) isInString = !isInString;
    else if (!isInString && opening.has(code)) depth += 1;
    else if (!isInString && closing.has(code)) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/**
 * The path of a request in its most permissive reading: decoded, lower case, without empty, dot or
 * absolute parts. It is never served; it only detects unknown URLs that disguise a closed one.
 */
export function plainPath(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const parts: string[] = [];
  for (const part of decode(path).replaceAll('\\', '/').toLowerCase().split('/')) {
    const name = withoutFinalDots(part.trim());
    if (part === '..') parts.pop();
    else if (name !== '') parts.push(name);
  }
  return `/${parts.join('/')}`;
}

/** Decodes a path that was encoded any number of times, with the same effort. */
function decode(path: string): string {
  const decoded = decodeAscii(path);
  try {
    return decodeURIComponent(decoded);
  } catch {
    return decoded;
  }
}

/** Decodes in one pass: a decoded character may complete another escape right before it. */
function decodeAscii(path: string): string {
  const signs: string[] = [];
  for (const sign of path) {
    signs.push(sign);
    for (let code = lastEscape(signs); code !== null; code = lastEscape(signs))
      signs.splice(-3, 3, String.fromCharCode(code));
  }
  return signs.join('');
}

/** The code of the ASCII character that is escaped at the end; null if there is none. */
function lastEscape(signs: readonly string[]): number | null {
  if (signs[signs.length - 3] !== '%') return null;
  const digits = signs.slice(-2).join('');
  return /^[0-7][\da-f]$/i.test(digits) ? Number.parseInt(digits, 16) : null;
}

function withoutFinalDots(name: string): string {
  let { length } = name;
  while (name[length - 1] === '.') length -= 1;
  return name.slice(0, length);
}
