import type { IncomingHttpHeaders } from 'node:http';
import { isNamed } from '../../http/pipeline/etag.ts';

/** What a client may hold already. */
export interface Validators {
  etag: string;
  /** An HTTP date, to the second. */
  lastModified: string;
}

/** RFC 9110 section 13.2.2: an `If-None-Match` decides; without one, `If-Modified-Since` does. */
export function isFresh(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const names = headers['if-none-match'];
  if (names !== undefined) return isNamed(names, etag);
  const since = headers['if-modified-since'];
  return since !== undefined && Date.parse(since) >= Date.parse(lastModified);
}

/**
 * RFC 9110 section 13.1.5: a range is good only for the very bytes the client began with. A weak ETag never matches.
 */
export function mayUseRange(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const condition = headers['if-range'];
  return condition === undefined || condition === etag || condition === lastModified;
}
