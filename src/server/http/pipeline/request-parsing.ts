import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from './errors.ts';

/** The longest `{path}` segment, percent-encoded: 4,096 bytes of which some hundred are not plain letters. */
export const longestSegment = 6_000;

const videoTags = /^\/api\/videos\/([^?]+)\/tags(\/[^/?]*)?(\?.*)?$/;

/**
 * The tag calls take a video's path as one segment; a client that left its slashes as they are means the same.
 * `/api/videos/a/b.mp4/tags` becomes `/api/videos/a%2Fb.mp4/tags`.
 */
export function encodePathSegment(url: string): string {
  const [, path, tag = '', query = ''] = videoTags.exec(url) ?? [];
  return path === undefined ? url : `/api/videos/${path.replaceAll('/', '%2F')}/tags${tag}${query}`;
}

/**
 * Percent signs in a query that are no encoding would otherwise be read as plain text, and name another video. A NUL is
 * part of no name, and PostgreSQL has none in its texts.
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

/** No body of ours has more than five objects and lists inside one another. */
const deepest = 32;

const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Reads JSON as the framework does, also none at all where a call asks for none, and nothing that is nested deeper than
 * any call needs: whatever walks through it would run out of stack.
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

/** Counts brackets outside of strings, in one pass; whether it is JSON at all is for the parser to say. */
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
 * The path of a request as the most generous reader would understand it: decoded, lower case, without empty, dot or
 * absolute parts. Nothing is served by it; it only tells whether an address that no route knows tries to pass for one
 * that is closed.
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

/** However often it was encoded: a path that was encoded a thousand times must not be decoded a thousand times. */
function decode(path: string): string {
  const decoded = decodeAscii(path);
  try {
    return decodeURIComponent(decoded);
  } catch {
    return decoded;
  }
}

/** In one pass: what is decoded may be the end of another escape, which then stands complete before it. */
function decodeAscii(path: string): string {
  const signs: string[] = [];
  for (const sign of path) {
    signs.push(sign);
    for (let code = lastEscape(signs); code !== null; code = lastEscape(signs))
      signs.splice(-3, 3, String.fromCharCode(code));
  }
  return signs.join('');
}

/** The code of an ASCII sign that is escaped at the end. */
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
