import { open, rm } from 'node:fs/promises';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { DiskBytes } from '../disk-space.ts';
import type { RemoteCopies } from '../remote-copies.ts';
import { RemoteFile } from '../remote-file.ts';
import type {
  ExpectedFile,
  FileContent,
  FilePart,
  ListedFile,
  LocalFile,
  OpenedFile,
  PartedStorage,
  StoredFile,
} from '../storage.ts';
import { partBytes } from '../storage.ts';
import type { BunnyClient } from './bunny-client.ts';
import type { DirectAddresses } from './direct-addresses.ts';
import { isUsableKey } from './s3-address.ts';
import type { S3Client, S3Part } from './s3-client.ts';
import { md5Of } from './s3-client.ts';

const dayMs = 24 * 3_600_000;
/** A file of one part is sent at once; a larger one takes 10,000 parts at most. */
const maxParts = 10_000;
const readBytes = 1024 * 1024;
const maxReadBytes = 64 * 1024 * 1024;

/** The calls that stores of all kinds take. */
export type StoreClient = Pick<
  S3Client,
  | 'head'
  | 'get'
  | 'put'
  | 'delete'
  | 'list'
  | 'beginMultipart'
  | 'putPart'
  | 'completeMultipart'
  | 'abortMultipart'
  | 'listMultiparts'
  | 'facts'
> &
  // A store that knows no parts takes a file of any length at once.
  Partial<Pick<BunnyClient, 'putStream'>>;

/** Files in a bucket of a store, below a prefix of their own. */
export class BucketStorage implements PartedStorage {
  readonly clockMarginMs = dayMs;
  private readonly client: StoreClient;
  private readonly prefix: string;
  private readonly copies: RemoteCopies;
  private readonly direct: DirectAddresses | null;

  /**
   * @param prefix empty, or with a slash at its end
   * @param direct null if browsers get nothing from the store itself
   */
  constructor(client: StoreClient, prefix: string, copies: RemoteCopies, direct: DirectAddresses | null = null) {
    this.client = client;
    this.prefix = prefix;
    this.copies = copies;
    this.direct = direct;
  }

  find(name: string): Promise<StoredFile | null> {
    return this.client.head(this.keyOf(name));
  }

  async *list(prefix: string): AsyncIterable<ListedFile> {
    for await (const { key, bytes, modifiedUs } of this.client.list(this.prefix + prefix))
      if (isUsableKey(key)) yield { name: key.slice(this.prefix.length), bytes, modifiedUs };
  }

  async put(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    { bytes: size, type, modifiedUs }: FileContent,
  ): Promise<void> {
    const key = this.keyOf(name);
    const length = Math.max(partBytes, Math.ceil(size / maxParts));
    if (size <= length) {
      await this.client.put(key, requireLength(await joinAll(bytes), size), type, modifiedUs);
      return;
    }
    if (this.client.putStream !== undefined) {
      await this.client.putStream(key, { length: size, chunks: bytes }, type);
      return;
    }
    const id = await this.client.beginMultipart(key, type, modifiedUs);
    try {
      await this.client.completeMultipart(key, id, await this.putParts(key, id, inParts(bytes, length)));
    } catch (error) {
      // A later sweep aborts it if this fails.
      await this.client.abortMultipart(key, id).catch(() => {});
      throw error;
    }
    const stored = await this.client.head(key);
    if (stored?.bytes === size) return;
    await this.client.delete(key);
    throw new RangeError('The file has another length than was said.');
  }

  async publish(file: string, name: string, type: string): Promise<void> {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const bytes = handle.createReadStream({ autoClose: false, highWaterMark: readBytes });
    await this.put(name, bytes, { bytes: size, type });
    await rm(file);
  }

  async remove(name: string): Promise<void> {
    await this.client.delete(this.keyOf(name));
  }

  async read(name: string): Promise<Buffer | null> {
    const found = await this.client.get(this.keyOf(name), null);
    if (found === null) return null;
    if (found.size > maxReadBytes) throw new RangeError('The file is too large to be read whole.');
    return joinAll(found.bytes);
  }

  async open(name: string, expected: ExpectedFile, window?: FileWindow | null): Promise<OpenedFile> {
    const key = this.keyOf(name);
    const copy = await this.copies.open(key, expected);
    return copy ?? RemoteFile.open(this.client, key, expected, window);
  }

  addressOf(name: string, query: Readonly<Record<string, string>>): Promise<string> | null {
    return this.direct?.of(this.keyOf(name), query) ?? null;
  }

  local(name: string, signal: AbortSignal): Promise<LocalFile | null> {
    return this.copies.hold(this.client, this.keyOf(name), signal);
  }

  isLocal(name: string): boolean {
    return this.copies.has(this.keyOf(name));
  }

  localStart(name: string, start: { size: number; bytes: number }, signal: AbortSignal): Promise<LocalFile | null> {
    return this.copies.holdStart(this.client, this.keyOf(name), start, signal);
  }

  /** Aborts multiparts, whose parts no listing shows. */
  async removeUnfinished(begunBefore: number): Promise<void> {
    for await (const { key, id, begunUs } of this.client.listMultiparts(this.prefix))
      if (begunUs < begunBefore * 1_000) await this.client.abortMultipart(key, id);
  }

  beginParts(name: string, type: string): Promise<string> {
    return this.client.beginMultipart(this.keyOf(name), type);
  }

  putPart(name: string, parts: string, part: FilePart): Promise<string> {
    return this.client.putPart(this.keyOf(name), parts, part);
  }

  /** @throws StoreRefusal, see `isPartsLost` */
  joinParts(name: string, parts: string, list: readonly S3Part[]): Promise<void> {
    return this.client.completeMultipart(this.keyOf(name), parts, list);
  }

  dropParts(name: string, parts: string): Promise<void> {
    return this.client.abortMultipart(this.keyOf(name), parts);
  }

  async *listParts(prefix: string): AsyncIterable<{ name: string; parts: string; begunUs: number }> {
    for await (const { key, id, begunUs } of this.client.listMultiparts(this.prefix + prefix))
      if (isUsableKey(key)) yield { name: key.slice(this.prefix.length), parts: id, begunUs };
  }

  /** Stores do not say how much they still take. */
  async space(): Promise<DiskBytes | null> {
    return null;
  }

  private async putParts(key: string, id: string, parts: AsyncIterable<Uint8Array>): Promise<S3Part[]> {
    const stored: S3Part[] = [];
    for await (const part of parts) {
      const number = stored.length + 1;
      stored.push({ number, etag: await this.client.putPart(key, id, { number, bytes: part, md5: md5Of(part) }) });
    }
    return stored;
  }

  /** @throws RangeError for a name that leads out of its folder, or into none */
  private keyOf(name: string): string {
    if (!isUsableKey(name)) throw new RangeError('This names no file.');
    return this.prefix + name;
  }
}

async function joinAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const [only] = chunks;
  // A part of 8 MiB is not copied.
  return chunks.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(chunks);
}

function requireLength(bytes: Buffer, length: number): Buffer {
  if (bytes.length !== length) throw new RangeError('The file has another length than was said.');
  return bytes;
}

/** Collects bytes into parts of one length; the last one is shorter. */
async function* inParts(bytes: AsyncIterable<Uint8Array>, length: number): AsyncIterable<Buffer> {
  let chunks: Uint8Array[] = [];
  let collected = 0;
  for await (const chunk of bytes) {
    for (let rest = chunk; rest.length > 0; ) {
      const taken = rest.subarray(0, length - collected);
      chunks.push(taken);
      collected += taken.length;
      rest = rest.subarray(taken.length);
      if (collected < length) continue;
      yield Buffer.concat(chunks);
      chunks = [];
      collected = 0;
    }
  }
  if (collected > 0) yield Buffer.concat(chunks);
}
