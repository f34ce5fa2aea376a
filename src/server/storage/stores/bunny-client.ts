import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import { systemClock } from '../../clock.ts';
import { createIds } from '../../ids.ts';
import type { FilePart, StoredFile } from '../storage.ts';
import type { S3Address } from './s3-address.ts';
import { encodeKey, readPrefix, readStoreUrl } from './s3-address.ts';
import type { S3Object, S3Part } from './s3-client.ts';
import { getBytes, toMicroseconds } from './s3-client.ts';
import type { StoreFacts } from './store-calls.ts';
import { isMissing, StoreAway, StoreRefusal } from './store-calls.ts';
import type { BodySource, StoreCall, StoreDeps, StoreProtocol } from './store-transport.ts';
import { StoreTransport } from './store-transport.ts';

const shape = 'bunny://ZONE@HOST/PREFIX';

/**
 * Reads `bunny://ZONE@HOST[/PREFIX]`. A zone is opened by its password alone, and has neither a region
 * nor the name of a key.
 * @throws RangeError that says what is wrong
 */
export function readBunnyAddress(text: string, secret: string): S3Address {
  const {
    origin,
    user: bucket,
    path,
  } = readStoreUrl(text, 'bunny:', { shape, known: ['tls'], secretName: 'STORAGE_SECRET' });
  if (!/^[a-z0-9][a-z0-9-]+$/i.test(bucket))
    throw new RangeError(`has to name a storage zone before the host: ${shape}`);
  return { origin, bucket, prefix: readPrefix(path), region: '', keyId: '', secret };
}

/** Asks a storage zone by its HTTP interface, with the password of the zone in a header. */
class BunnyProtocol implements StoreProtocol {
  private readonly at: S3Address;

  constructor(at: S3Address) {
    this.at = at;
  }

  async address({ key = '', headers }: StoreCall): Promise<{ url: string; headers: Headers }> {
    const { origin, bucket, prefix, secret } = this.at;
    const url = `${origin}/${bucket}/${encodeKey(prefix + key)}`;
    return { url, headers: new Headers({ ...headers, accesskey: secret }) };
  }

  isAnswer(): boolean {
    return true;
  }

  codeOf(text: string): string {
    return /"Message"\s*:\s*"([^"]{1,80})"/.exec(text)?.[1] ?? '';
  }
}

const entrySchema = z.object({
  ObjectName: z.string(),
  Length: z.number(),
  LastChanged: z.string(),
  IsDirectory: z.boolean(),
  Checksum: z.string().nullish(),
});
type BunnyEntry = z.infer<typeof entrySchema>;

/** The parts of files wait here until they are joined. */
const partsFolder = 'multiparts/';
/** Whoever asks for a file to be put together waits so long; it goes on meanwhile. */
const usualPatienceMs = 50_000;

/**
 * A storage zone of bunny.net. It knows no parts: they are files of their own, and are sent once more
 * as one file in the end.
 */
export class BunnyClient {
  private readonly transport: StoreTransport;
  private readonly patienceMs: number;
  private readonly ids = createIds(systemClock);
  /** Files that are being put together, by the ids of their parts. */
  private readonly joining = new Map<string, Promise<void>>();

  constructor(address: S3Address, { patienceMs = usualPatienceMs, ...deps }: BunnyDeps = {}) {
    this.transport = new StoreTransport(new BunnyProtocol(address), deps);
    this.patienceMs = patienceMs;
  }

  get facts(): StoreFacts {
    return this.transport.facts;
  }

  async head(key: string): Promise<StoredFile | null> {
    const entry = await this.describe(key);
    return entry === null || entry.IsDirectory ? null : { bytes: entry.Length, modifiedUs: changedUs(entry) };
  }

  get(key: string, range: FileWindow | null, signal?: AbortSignal): ReturnType<typeof getBytes> {
    return getBytes(this.transport, key, range, { signal });
  }

  /** @returns its sum */
  async put(key: string, body: Uint8Array, type: string): Promise<string> {
    const sum = createHash('sha256').update(body).digest('hex').toUpperCase();
    const headers = { 'content-type': type, checksum: sum };
    await this.transport.send({ kind: 'put', method: 'PUT', key, headers, body });
    return sum;
  }

  /** Stores a file of any length in one call. @throws what its bytes throw */
  async putStream(key: string, { length, chunks }: BodySource, type?: string): Promise<void> {
    const hash = createHash('sha256');
    async function* summed() {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    }
    const body = { length, chunks: summed() };
    // The zone goes by the name where no type is sent.
    const headers = type === undefined ? undefined : { 'content-type': type };
    await this.transport.send({ kind: 'put', method: 'PUT', key, headers, body });
    const stored = await this.describe(key);
    const sum = hash.digest('hex').toUpperCase();
    if (stored?.Length === length && (stored.Checksum ?? sum) === sum) return;
    await this.delete(key);
    throw new StoreAway('The store has other bytes than were sent.');
  }

  async delete(key: string): Promise<void> {
    await this.transport.sendOrMiss({ kind: 'delete', method: 'DELETE', key });
  }

  async *list(prefix: string): AsyncIterable<S3Object> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    for await (const [key, entry] of this.walk(folder, prefix))
      yield { key, bytes: entry.Length, modifiedUs: changedUs(entry), etag: entry.Checksum ?? '' };
  }

  async beginMultipart(): Promise<string> {
    return this.ids.long();
  }

  async putPart(key: string, id: string, { number, bytes }: FilePart): Promise<string> {
    return this.put(partName(key, id, number), bytes, 'application/octet-stream');
  }

  /** @throws StoreAway when it takes long; the next call hears how it ended */
  async completeMultipart(key: string, id: string, parts: readonly S3Part[]): Promise<void> {
    const running = this.joining.get(id) ?? this.join(key, id, parts).finally(() => this.joining.delete(id));
    this.joining.set(id, running);
    const waiting = new AbortController();
    const late = wait(this.patienceMs, true, { signal: waiting.signal, ref: false }).catch(() => true);
    try {
      if ((await Promise.race([running, late])) === true)
        throw new StoreAway('The store still puts the file together.');
    } finally {
      waiting.abort();
      // Whoever asks again hears of a failure.
      running.catch(() => {});
    }
  }

  /** Their folder goes with them. */
  async abortMultipart(key: string, id: string): Promise<void> {
    await this.delete(`${folderOf(key, id)}/`);
  }

  async *listMultiparts(prefix: string): AsyncIterable<{ key: string; id: string; begunUs: number }> {
    for (const file of await this.readFolder(partsFolder)) {
      const key = Buffer.from(file.ObjectName, 'base64url').toString();
      if (!key.startsWith(prefix)) continue;
      for (const entry of await this.readFolder(`${partsFolder}${file.ObjectName}/`))
        yield { key, id: entry.ObjectName, begunUs: changedUs(entry) };
    }
  }

  private async join(key: string, id: string, parts: readonly S3Part[]): Promise<void> {
    const found = new Map((await this.readFolder(`${folderOf(key, id)}/`)).map((entry) => [entry.ObjectName, entry]));
    // An earlier attempt has joined them.
    if (found.size === 0 && (await this.head(key)) !== null) return;
    if (found.size === 0) throw new StoreRefusal(404, 'NoSuchUpload', 'complete');
    const names = parts.map(({ number }) => String(number));
    const sameAt = (at: number) => (found.get(names[at] ?? '')?.Checksum ?? parts[at]?.etag) === parts[at]?.etag;
    if (!names.every((name, at) => found.has(name) && sameAt(at)))
      throw new StoreRefusal(400, 'InvalidPart', 'complete');
    const length = names.reduce((sum, name) => sum + (found.get(name)?.Length ?? 0), 0);
    await this.putStream(key, { length, chunks: this.readParts(key, id, parts) });
    await this.abortMultipart(key, id);
  }

  private async *readParts(key: string, id: string, parts: readonly S3Part[]): AsyncGenerator<Uint8Array> {
    for (const { number } of parts) {
      const part = await this.get(partName(key, id, number), null);
      if (part === null) throw new StoreAway('A part has gone.');
      yield* part.bytes;
    }
  }

  /** The files below a folder whose keys begin with a text, in the order of the keys. */
  private async *walk(folder: string, prefix: string): AsyncGenerator<[key: string, BunnyEntry]> {
    const entries = (await this.readFolder(folder)).map((entry): [string, BunnyEntry] => [
      `${folder}${entry.ObjectName}${entry.IsDirectory ? '/' : ''}`,
      entry,
    ]);
    entries.sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    for (const [key, entry] of entries) {
      if (!entry.IsDirectory && key.startsWith(prefix)) yield [key, entry];
      if (entry.IsDirectory && key !== partsFolder && (key.startsWith(prefix) || prefix.startsWith(key)))
        yield* this.walk(key, prefix);
    }
  }

  private async readFolder(key: string): Promise<BunnyEntry[]> {
    const call = { kind: 'list', method: 'GET', key, isWork: true } as const;
    return (await orNull(this.transport.ask(call, (text) => read(z.array(entrySchema), text)))) ?? [];
  }

  private describe(key: string): Promise<BunnyEntry | null> {
    const call = { kind: 'head', method: 'DESCRIBE', key } as const;
    return orNull(this.transport.ask(call, (text) => read(entrySchema, text)));
  }
}

interface BunnyDeps extends Partial<StoreDeps> {
  patienceMs?: number;
}

function folderOf(key: string, id: string): string {
  return `${partsFolder}${Buffer.from(key).toString('base64url')}/${id}`;
}

function partName(key: string, id: string, number: number): string {
  return `${folderOf(key, id)}/${number}`;
}

/** @throws StoreAway for what is no document of the store */
function read<Document>(schema: z.ZodType<Document>, text: string): Document {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new StoreAway('The store answered with another document.', { cause: error });
  }
}

async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The interface tells times of Greenwich without saying so. */
function changedUs({ LastChanged }: BunnyEntry): number {
  return toMicroseconds(Date.parse(/Z$|[+-]\d\d:?\d\d$/.test(LastChanged) ? LastChanged : `${LastChanged}Z`));
}
