import { createRequire } from 'node:module';
import { ReadableStream } from 'node:stream/web';
import { setTimeout as pause } from 'node:timers/promises';
import type { RequestInit, Response } from 'undici';
import { systemClock } from '../../clock.ts';
import type { StoreFacts } from './store-calls.ts';
import { actOf, isMissing, reasonOf, StoreAway, StoreCalls, StoreRefusal, storeTimes } from './store-calls.ts';

/** Replacements for tests. */
export interface StoreDeps {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number;
  pause(ms: number): Promise<void>;
  /** How many objects one answer lists. */
  pageLength: number;
}

const systemDeps: StoreDeps = {
  now: () => systemClock.now(),
  elapsed: () => systemClock.elapsed(),
  pause,
  pageLength: 1_000,
};

const sliceBytes = 256 * 1024;

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Send = (url: string, init: RequestInit) => Promise<Response>;

let send: Send | null = null;
/**
 * Node's own `fetch` cannot be told how long to wait for a connection. The same code is loaded with
 * the first call, and only the parts of it that are needed: all of it takes 13 MB more.
 */
function openConnections(): Send {
  const require = createRequire(import.meta.url);
  const { fetch } = require('undici/index-fetch.js') as Pick<typeof import('undici'), 'fetch'>;
  const Agent = require('undici/lib/dispatcher/agent.js') as typeof import('undici').Agent;
  const dispatcher = new Agent({ connect: { timeout: storeTimes.connect } });
  return (url, init) => fetch(url, { ...init, dispatcher });
}

/** Another difference of the clocks than this is a reason to sign again. */
const toleratedMs = 5 * 60_000;

export interface StoreCall {
  /** Is counted, and named in errors. */
  kind: string;
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE' | 'DESCRIBE';
  /** The key below the prefix of the address; none for a call to the bucket. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | BodySource;
  isWork?: boolean;
  signal?: AbortSignal;
}

/** A body that is read while it is sent, and only once. */
export interface BodySource {
  length: number;
  chunks: AsyncIterable<Uint8Array>;
}

/** How one kind of store is asked, and what it answers. */
export interface StoreProtocol {
  /** @param now epoch milliseconds by the clock of the store */
  address(call: StoreCall, now: number): Promise<{ url: string; headers: Headers }>;
  /** Whether the store itself has answered, and not a gateway before it. */
  isAnswer(call: StoreCall, headers: Pick<Headers, 'has'>): boolean;
  /** The store's own word for a refusal; empty if there is none. @param text of the answer */
  codeOf(text: string): string;
}

/** Sends calls, again if need be, and reads what the store answers. */
export class StoreTransport {
  private readonly protocol: StoreProtocol;
  readonly deps: StoreDeps;
  private readonly calls: StoreCalls;

  constructor(protocol: StoreProtocol, deps: Partial<StoreDeps> = {}) {
    this.protocol = protocol;
    this.deps = { ...systemDeps, ...deps };
    this.calls = new StoreCalls(this.deps.elapsed, this.deps.pause);
  }

  get facts(): StoreFacts {
    return this.calls.facts;
  }

  /** Makes a call whose answer is a document. @param read throws for one that is no answer */
  ask<Document>(call: StoreCall, read: (text: string) => Document): Promise<Document> {
    const { kind, isWork, signal } = call;
    return this.calls.make(kind, { isWork, signal }, async () =>
      read(await readText(this.readBody(await this.attempt(call), kind))),
    );
  }

  /** Null for an object that does not exist. */
  async sendOrMiss(call: StoreCall): Promise<Response | null> {
    try {
      return await this.send(call);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** @throws StoreRefusal for an answer that is not a success; StoreAway when none comes */
  send(call: StoreCall): Promise<Response> {
    const { kind, isWork, signal, body } = call;
    const isOnce = body !== undefined && 'chunks' in body;
    return this.calls.make(kind, { isWork, signal, isOnce }, () => this.attempt(call));
  }

  /** @throws StoreRefusal for an answer that is not a success */
  private async attempt(call: StoreCall, isCorrected = false): Promise<Response> {
    const { kind, method, body } = call;
    const reply = await this.fetch(call);
    this.calls.sentBytes += body?.length ?? 0;
    if (reply.ok) {
      if (!this.protocol.isAnswer(call, reply.headers)) {
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

  /** @throws StoreAway when no answer comes; what a body throws that is read while it is sent */
  private async fetch(call: StoreCall): Promise<Response> {
    const { method, body, signal } = call;
    const { url, headers } = await this.protocol.address(call, this.deps.now() + this.calls.clockOffMs);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), body === undefined ? storeTimes.firstByte : storeTimes.body);
    let isOver = false;
    let broken: { error: unknown } | null = null;
    // A body that is read while it is sent may take any time, as long as it moves.
    const watch = async function* (source: BodySource) {
      try {
        for await (const chunk of source.chunks) {
          if (!isOver) timer.refresh();
          yield chunk;
        }
      } catch (error) {
        broken = { error };
        throw error;
      }
    };
    if (body !== undefined) headers.set('content-length', String(body.length));
    try {
      send ??= openConnections();
      return await send(url, {
        ...{ method, headers: [...headers], redirect: 'manual' },
        signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
        // `fetch` copies a body that it is given whole, which would double the memory of parts.
        ...(body !== undefined && toStream('chunks' in body ? watch(body) : slicesOf(body))),
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (broken !== null) throw (broken as { error: unknown }).error;
      throw new StoreAway(`The store does not answer (${reasonOf(error)}).`, { cause: error });
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  }

  private async readCode(reply: Response, kind: string): Promise<string> {
    return this.protocol.codeOf(await readText(this.readBody(reply, kind)).catch(() => ''));
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

function toStream(chunks: AsyncIterable<Uint8Array>): RequestInit {
  return { body: ReadableStream.from(chunks), duplex: 'half' } as RequestInit;
}

async function* slicesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += sliceBytes) yield body.subarray(at, at + sliceBytes);
}

/** A connection that breaks is no fault of the program. @throws always */
function asAway(error: unknown): never {
  throw error instanceof TypeError ? new StoreAway('The store broke off an answer.', { cause: error }) : error;
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
