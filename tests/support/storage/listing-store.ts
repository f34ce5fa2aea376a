import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AtEnd } from '../temporary-folder.ts';

/** How many objects a store lists in one answer. */
const pageLength = 1_000;

/** A bucket of many videos: it lists them and gives parts of them, as S3 does. */
export interface ListingStore {
  /** What `LIBRARY_URLS` says. */
  url: string;
  /** Calls since the last time, and bytes of objects that were sent. */
  take(): { lists: number; gets: number; objectBytes: number };
  /** One more, behind all others. */
  add(): void;
}

interface ListingOptions {
  count: number;
  /** Each object holds these bytes, with its number in the last four. */
  video: Buffer;
  /** Milliseconds before each answer. */
  delayMs?: number;
}

export async function openListingStore(
  { count, video, delayMs = 0 }: ListingOptions,
  atEnd: AtEnd,
): Promise<ListingStore> {
  let objects = count;
  let seen = { lists: 0, gets: 0, objectBytes: 0 };

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://store');
    const body = searchParams.has('list-type')
      ? list(searchParams, outgoing)
      : give(Number(/video-(\d+)\.mp4$/.exec(pathname)?.[1] ?? Number.NaN), incoming, outgoing);
    outgoing.setHeader('content-length', body.length);
    outgoing.end(body);
  }

  function list(query: URLSearchParams, outgoing: ServerResponse): Buffer {
    seen.lists += 1;
    const first = Number(query.get('continuation-token') ?? 0);
    const end = Math.min(objects, first + pageLength);
    const contents: string[] = [];
    for (let number = first; number < end; number += 1)
      contents.push(
        `<Contents><Key>${nameOf(number)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>` +
          `<ETag>&quot;${number}&quot;</ETag><Size>${video.length}</Size></Contents>`,
      );
    const next = end < objects ? `<NextContinuationToken>${end}</NextContinuationToken>` : '';
    outgoing.setHeader('content-type', 'application/xml');
    return Buffer.from(
      `<ListBucketResult><IsTruncated>${end < objects}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    );
  }

  function give(number: number, { headers }: IncomingMessage, outgoing: ServerResponse): Buffer {
    seen.gets += 1;
    const [, start = '', end = ''] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (!(number < objects) || headers['if-match'] !== `"${number}"`) {
      outgoing.statusCode = number < objects ? 412 : 404;
      return Buffer.alloc(0);
    }
    const bytes = Buffer.from(video);
    bytes.writeUInt32BE(number, bytes.length - 4);
    const part = bytes.subarray(Number(start), Number(end) + 1);
    seen.objectBytes += part.length;
    outgoing.statusCode = 206;
    outgoing.setHeader('etag', `"${number}"`);
    outgoing.setHeader('content-range', `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}`);
    return part;
  }

  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    if (delayMs === 0) answer(incoming, outgoing);
    else setTimeout(answer, delayMs, incoming, outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `s3://key@127.0.0.1:${(server.address() as AddressInfo).port}/films?tls=off`,
    take() {
      const taken = seen;
      seen = { lists: 0, gets: 0, objectBytes: 0 };
      return taken;
    },
    add() {
      objects += 1;
    },
  };
}

function nameOf(number: number): string {
  return `video-${String(number).padStart(7, '0')}.mp4`;
}
