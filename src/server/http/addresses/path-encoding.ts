import type { FastifyRequest } from 'fastify';
import { Refusal } from '../pipeline/errors.ts';

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
