import { createHash } from 'node:crypto';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { FilePart, StoredFile } from '../storage.ts';
import type { S3Address } from './s3-address.ts';
import { decode } from './s3-address.ts';
import { readDocument, S3Protocol } from './s3-protocol.ts';
import type { StoreFacts } from './store-calls.ts';
import { StoreRefusal } from './store-calls.ts';
import type { StoreCall, StoreDeps } from './store-transport.ts';
import { StoreTransport } from './store-transport.ts';

/** An object of a listing. */
export interface S3Object {
  key: string;
  bytes: number;
  modifiedUs: number;
  /** The store's own text, with its quotes. */
  etag: string;
}

/** A part of an object that is put together. */
export interface S3Part {
  number: number;
  etag: string;
}

/** The bytes of an object, or of a part of it. */
interface StoreBytes {
  bytes: AsyncIterable<Uint8Array>;
  /** The size of the whole object. */
  size: number;
  modifiedUs: number;
}

/** The calls of S3 that the server needs, by keys below a bucket's prefix. */
export class S3Client {
  private readonly prefix: string;
  private readonly transport: StoreTransport;

  constructor(address: S3Address, deps: Partial<StoreDeps> = {}) {
    this.prefix = address.prefix;
    this.transport = new StoreTransport(new S3Protocol(address), deps);
  }

  get facts(): StoreFacts {
    return this.transport.facts;
  }

  /**
   * @param etag asks for exactly this version: another one is a refusal, see `isChanged`
   * @returns null if the object does not exist
   */
  async head(key: string, etag?: string): Promise<StoredFile | null> {
    const headers = etag === undefined ? undefined : { 'if-match': etag };
    const reply = await this.transport.sendOrMiss({ kind: 'head', method: 'HEAD', key, headers });
    if (reply === null) return null;
    const copied = reply.headers.get(copiedHeader);
    return {
      bytes: Number(reply.headers.get('content-length')),
      modifiedUs: modifiedOf(reply.headers),
      ...(copied !== null && { copiedUs: Number(copied) }),
    };
  }

  /**
   * Asks for an object. Bytes that nobody reads are not fetched, and a reading that stands for 15 s
   * because of the store fails.
   * @param range both ends inclusive; null for all
   * @param asked `etag` asks for exactly this version, as for `head`
   * @returns null if there is no such object
   */
  get(
    key: string,
    range: FileWindow | null,
    signal?: AbortSignal,
    asked: { etag?: string; isWork?: boolean } = {},
  ): Promise<StoreBytes | null> {
    return getBytes(this.transport, key, range, { signal, ...asked });
  }

  /** @returns the entity tag */
  async put(key: string, body: Uint8Array, type: string, copiedUs?: number): Promise<string> {
    const headers = { ...objectHeaders(type, copiedUs), 'content-md5': md5Of(body) };
    const reply = await this.transport.send({ kind: 'put', method: 'PUT', key, headers, body });
    return reply.headers.get('etag') ?? '';
  }

  /** Does nothing if the object does not exist. */
  async delete(key: string): Promise<void> {
    await this.transport.sendOrMiss({ kind: 'delete', method: 'DELETE', key });
  }

  /** Every object whose key begins with a text, in the order of the keys. */
  async *list(prefix: string): AsyncIterable<S3Object> {
    for (let token: string | undefined; ; ) {
      const query: Record<string, string> = { 'list-type': '2', 'encoding-type': 'url', prefix: this.prefix + prefix };
      query['max-keys'] = String(this.transport.deps.pageLength);
      if (token !== undefined) query['continuation-token'] = token;
      const page = await this.ask({ kind: 'list', method: 'GET', query, isWork: true });
      for (const { Key, Size, LastModified, ETag } of page.ListBucketResult?.Contents ?? []) {
        const modifiedUs = toMicroseconds(Date.parse(LastModified));
        yield { key: this.keyOf(Key), bytes: Number(Size), modifiedUs, etag: ETag ?? '' };
      }
      token = page.ListBucketResult?.NextContinuationToken;
      if (page.ListBucketResult?.IsTruncated !== 'true' || token === undefined) return;
    }
  }

  /** @returns the id of the multipart */
  async beginMultipart(key: string, type: string, copiedUs?: number): Promise<string> {
    const headers = objectHeaders(type, copiedUs);
    const reply = await this.ask({ kind: 'begin', method: 'POST', key, query: { uploads: '' }, headers });
    const id = reply.InitiateMultipartUploadResult?.UploadId;
    if (id === undefined) throw new StoreRefusal(200, '', 'begin a file');
    return id;
  }

  /** @returns the entity tag of the part */
  async putPart(key: string, id: string, { number, bytes: body, md5 }: FilePart): Promise<string> {
    const query = { partNumber: String(number), uploadId: id };
    const headers = { 'content-md5': md5 };
    const reply = await this.transport.send({ kind: 'part', method: 'PUT', key, query, headers, body });
    return reply.headers.get('etag') ?? '';
  }

  /**
   * Makes an object of its parts.
   * @throws StoreRefusal with the code NoSuchUpload when the store has forgotten the multipart and
   * there is no such object
   */
  async completeMultipart(key: string, id: string, parts: readonly S3Part[]): Promise<void> {
    const listed = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`);
    try {
      // Stores send a 200 at once and say in the body how it ended.
      await this.ask({ kind: 'complete', method: 'POST', key, query: { uploadId: id }, body });
    } catch (error) {
      const code = error instanceof StoreRefusal ? error.code : '';
      // Ceph 16 says no more of a multipart that it has forgotten.
      const isForgotten = code === 'NoSuchUpload' || (code === 'InternalError' && !(await this.isKept(key, id)));
      // The answer of an earlier attempt may have been lost.
      if (isForgotten && (await this.head(key)) !== null) return;
      throw isForgotten ? new StoreRefusal(404, 'NoSuchUpload', 'complete') : error;
    }
  }

  /** Whether the store still has a multipart. */
  private async isKept(key: string, id: string): Promise<boolean> {
    const query = { uploadId: id, 'max-parts': '1' };
    const reply = await this.transport.sendOrMiss({ kind: 'list', method: 'GET', key, query });
    await reply?.body?.cancel();
    return reply !== null;
  }

  async abortMultipart(key: string, id: string): Promise<void> {
    await this.transport.sendOrMiss({ kind: 'abort', method: 'DELETE', key, query: { uploadId: id } });
  }

  /** Multiparts that were begun and not ended. */
  async *listMultiparts(prefix: string): AsyncIterable<{ key: string; id: string; begunUs: number }> {
    for (let marker: Record<string, string> = {}; ; ) {
      const query = { uploads: '', 'encoding-type': 'url', prefix: this.prefix + prefix, ...marker };
      const page = (await this.ask({ kind: 'list', method: 'GET', query, isWork: true })).ListMultipartUploadsResult;
      for (const { Key, UploadId, Initiated } of page?.Upload ?? [])
        yield { key: this.keyOf(Key), id: UploadId, begunUs: toMicroseconds(Date.parse(Initiated)) };
      if (page?.IsTruncated !== 'true') return;
      const { NextKeyMarker: key = '', NextUploadIdMarker: id = '' } = page;
      const next = { 'key-marker': decodeListed(key), 'upload-id-marker': id };
      // A store that names no other page would send this one for ever.
      if (key === '' || JSON.stringify(next) === JSON.stringify(marker)) return;
      marker = next;
    }
  }

  private ask(call: StoreCall) {
    return this.transport.ask(call, (text) => readDocument(text, call.kind));
  }

  private keyOf(listed: string): string {
    return decodeListed(listed).slice(this.prefix.length);
  }
}

/** See `S3Client.get`. */
export async function getBytes(
  transport: StoreTransport,
  key: string,
  range: FileWindow | null,
  { etag, ...manner }: { etag?: string; isWork?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<StoreBytes | null> {
  const headers = {
    ...(range !== null && { range: `bytes=${range.start}-${range.end}` }),
    ...(etag !== undefined && { 'if-match': etag }),
  };
  const reply = await transport.sendOrMiss({ kind: 'get', method: 'GET', key, headers, ...manner });
  if (reply === null) return null;
  const total = /\/(\d+)$/.exec(reply.headers.get('content-range') ?? '')?.[1];
  if (range !== null && reply.status !== 206) {
    await reply.body?.cancel();
    throw new StoreRefusal(reply.status, '', 'send a part of a file');
  }
  return {
    bytes: transport.readBody(reply, 'get'),
    size: Number(total ?? reply.headers.get('content-length')),
    modifiedUs: modifiedOf(reply.headers),
  };
}

/** Metadata of an object that is a copy. */
const copiedHeader = 'x-amz-meta-modified-us';

/** An object is never written again with other bytes, so that whoever has it may keep it. */
function objectHeaders(type: string, copiedUs: number | undefined): Record<string, string> {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' };
  return copiedUs === undefined ? headers : { ...headers, [copiedHeader]: String(copiedUs) };
}

/** Stores encode a blank as `+` in listings; one that encodes nothing is taken at its word. */
function decodeListed(key: string): string {
  return decode(key.replaceAll('+', '%20')) ?? key;
}

export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('base64');
}

function modifiedOf(headers: Pick<Headers, 'get'>): number {
  return toMicroseconds(Date.parse(headers.get('last-modified') ?? ''));
}

/** Answers tell whole seconds, listings of some stores their parts. */
export function toMicroseconds(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1_000) * 1_000_000;
}
