import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { systemClock } from '../../clock.ts';
import type { S3Address } from './s3-address.ts';
import { encodeKey } from './s3-address.ts';
import type { StoreFacts } from './store-calls.ts';
import { actOf, isMissing, StoreAway, StoreCalls, StoreRefusal, storeTimes } from './store-calls.ts';

/** Replacements for tests. */
export interface S3Deps {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number;
  pause(ms: number): Promise<void>;
  /** How many objects one answer lists. */
  pageLength: number;
}

const systemDeps: S3Deps = {
  now: () => systemClock.now(),
  elapsed: () => systemClock.elapsed(),
  pause,
  pageLength: 1_000,
};

const sliceBytes = 256 * 1024;

type Reader = ReadableStreamDefaultReader<Uint8Array>;
/** Another difference of the clocks than this is a reason to sign again. */
const toleratedMs = 5 * 60_000;

export interface S3Call {
  /** Is counted, and named in errors. */
  kind: string;
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The whole key; none for a call to the bucket. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  isWork?: boolean;
  signal?: AbortSignal;
}

/** Calls whose answer tells of one object: a page of a gateway has no entity tag. */
const objectKinds = new Set(['head', 'get', 'put', 'part']);

const parser = new XMLParser({
  parseTagValue: false,
  isArray: (name) => ['Contents', 'Upload'].includes(name),
});

/** Signs calls, sends them, and reads what the store answers. */
export class S3Transport {
  private readonly address: S3Address;
  readonly deps: S3Deps;
  private readonly calls: StoreCalls;
  private readonly signingKeys = new Map<string, ArrayBuffer>();

  constructor(address: S3Address, deps: Partial<S3Deps> = {}) {
    this.address = address;
    this.deps = { ...systemDeps, ...deps };
    this.calls = new StoreCalls(this.deps.elapsed, this.deps.pause);
  }

  get facts(): StoreFacts {
    return this.calls.facts;
  }

  /** Makes a call whose answer is a document. */
  async ask(call: S3Call): Promise<S3Document> {
    const { kind, isWork, signal } = call;
    return this.calls.make(kind, { isWork, signal }, async () => this.readDocument(await this.attempt(call), kind));
  }

  /** Null for an object that does not exist. */
  async sendOrMiss(call: S3Call): Promise<Response | null> {
    try {
      return await this.send(call);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** @throws StoreRefusal for an answer that is not a success; StoreAway when none comes */
  send(call: S3Call): Promise<Response> {
    const { kind, isWork, signal } = call;
    return this.calls.make(kind, { isWork, signal }, () => this.attempt(call));
  }

  /** @throws StoreRefusal for an answer that is not a success */
  private async attempt(call: S3Call, isCorrected = false): Promise<Response> {
    const { kind, method, body } = call;
    const reply = await this.fetchSigned(call);
    this.calls.sentBytes += body?.length ?? 0;
    if (reply.ok) {
      if (objectKinds.has(kind) && !reply.headers.has('etag')) {
        await reply.body?.cancel();
        throw new StoreAway('Something else than the store answered.');
      }
      // The answer to a call that changes something has no body worth waiting for.
      if (method === 'PUT' || method === 'DELETE' || method === 'HEAD') await reply.arrayBuffer();
      return reply;
    }
    const code = method === 'HEAD' ? '' : await this.readCode(reply, kind);
    const offMs = Date.parse(reply.headers.get('date') ?? '') - this.deps.now();
    // The answer to HEAD has no body that could name the reason.
    const isOff = method === 'HEAD' && reply.status === 403 && Math.abs(offMs - this.calls.clockOffMs) > toleratedMs;
    if ((code === 'RequestTimeTooSkewed' || isOff) && !isCorrected && !Number.isNaN(offMs)) {
      this.calls.clockOffMs = offMs;
      return this.attempt(call, true);
    }
    throw new StoreRefusal(reply.status, code, kind);
  }

  /** @throws StoreAway when no answer comes */
  private async fetchSigned({ method, key, query, headers, body, signal }: S3Call): Promise<Response> {
    const { origin, bucket, prefix, region, keyId, secret } = this.address;
    const path = key === undefined ? '' : `/${encodeKey(prefix + key)}`;
    const url = `${origin}/${bucket}${path}${query === undefined ? '' : encodeQuery(query)}`;
    const datetime = new Date(this.deps.now() + this.calls.clockOffMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const signed = await new AwsV4Signer({
      ...{ method, url, headers, region, datetime, service: 's3', cache: this.signingKeys },
      ...{ accessKeyId: keyId, secretAccessKey: secret },
    }).sign();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), body === undefined ? storeTimes.firstByte : storeTimes.body);
    try {
      return await fetch(signed.url, {
        ...{ method, headers: signed.headers, redirect: 'manual' },
        signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
        ...(body !== undefined && toStream(body, signed.headers)),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new StoreAway('The store does not answer.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  private async readDocument(reply: Response, kind: string): Promise<S3Document> {
    const document = parser.parse(await readText(this.readBody(reply, kind))) as S3Document;
    // A long call is answered with 200 before it is known how it ends.
    if (document.Error !== undefined) throw new StoreRefusal(500, document.Error.Code ?? '', kind);
    // A gateway may answer with a page of its own, which is no empty listing.
    if (!Object.keys(document).some((name) => name.endsWith('Result')))
      throw new StoreAway('The store answered with another document.');
    return document;
  }

  private async readCode(reply: Response, kind: string): Promise<string> {
    const text = await readText(this.readBody(reply, kind)).catch(() => '');
    const { Error: error } = parseQuietly(text);
    return error?.Code ?? '';
  }

  /**
   * Reads the bytes of an answer. Nothing is fetched that nobody reads. Its iterator's `return` ends
   * the answer, also before the first byte.
   */
  readBody(reply: Response, kind: string): AsyncIterable<Uint8Array> {
    const reader = reply.body?.getReader();
    const chunks = this.readChunks(reader, kind);
    const end = () => (reader?.cancel() ?? Promise.resolve()).catch(() => {}).then(() => chunks.return());
    return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next(), return: end }) };
  }

  private async *readChunks(reader: Reader | undefined, kind: string): AsyncGenerator<Uint8Array, void> {
    if (reader === undefined) return;
    try {
      for (;;) {
        const { done, value } = await withinSilence(reader.read().catch(asAway), kind);
        if (done) return;
        this.calls.receivedBytes += value.length;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }
}

/**
 * `fetch` copies a body that it is given whole, which for parts would be as much memory again; of a
 * stream it needs to be told the length.
 */
function toStream(body: Uint8Array, headers: Headers): RequestInit {
  headers.set('content-length', String(body.length));
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === body.length) return controller.close();
      controller.enqueue(body.subarray(at, at + sliceBytes));
      at = Math.min(at + sliceBytes, body.length);
    },
  });
  return { body: stream, duplex: 'half' } as RequestInit;
}

/** The documents of the store, as far as they are read. */
export interface S3Document {
  ListBucketResult?: {
    Contents?: { Key: string; Size: string; LastModified: string }[];
    IsTruncated?: string;
    NextContinuationToken?: string;
  };
  ListMultipartUploadsResult?: {
    Upload?: { Key: string; UploadId: string; Initiated: string }[];
    IsTruncated?: string;
    NextKeyMarker?: string;
    NextUploadIdMarker?: string;
  };
  InitiateMultipartUploadResult?: { UploadId?: string };
  Error?: { Code?: string };
}

/** A connection that breaks is no fault of the program. @throws always */
function asAway(error: unknown): never {
  throw error instanceof TypeError ? new StoreAway('The store broke off an answer.', { cause: error }) : error;
}

/** A gateway may answer with a page, or with nothing. */
function parseQuietly(text: string): S3Document {
  try {
    return parser.parse(text) as S3Document;
  } catch {
    return {};
  }
}

const maxDocumentBytes = 8 * 1024 * 1024;

async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > maxDocumentBytes) throw new StoreRefusal(200, '', 'send a document of a sensible length');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** @throws StoreAway when nothing comes for 15 s */
async function withinSilence<T>(reading: Promise<T>, kind: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new StoreAway(`The store stopped when it was to ${actOf(kind)}.`)),
    storeTimes.silence,
  );
  try {
    return await Promise.race([reading, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function encodeQuery(query: Readonly<Record<string, string>>): string {
  const encode = (text: string) => encodeKey(text).replaceAll('/', '%2F');
  return `?${Object.entries(query)
    .map((pair) => pair.map(encode).join('='))
    .join('&')}`;
}
