import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../ids.ts';
import type { Storage } from './storage.ts';

type DerivedExtension = '.mp4' | '.webp' | '.vtt';

/** A stored file, identified by the two parts of its name. */
export interface DerivedFile {
  content: string;
  extension: DerivedExtension;
}

/** The result of storing a file: its content hash and its size in bytes. */
export interface StoredContent {
  content: string;
  bytes: number;
}

/** The start of a SHA-256: 160 bits. */
const contentLength = 40;
const contentShape = /^[0-9a-f]{40}$/;
const readBytes = 1024 * 1024;
/** Folder for files that are being written and do not have their final name yet. */
const incomingFolder = 'incoming';

/**
 * Files derived from videos, named by a hash of their content: equal content is one file, and a
 * name always means the same bytes. Only `put` and `read` hold a whole file in memory; they are for
 * small files.
 */
export class DerivedFiles {
  private readonly storage: Storage;
  private readonly ids: Pick<Ids, 'long'>;

  constructor(storage: Storage, ids: Pick<Ids, 'long'>) {
    this.storage = storage;
    this.ids = ids;
  }

  /**
   * Moves a finished file into the store.
   * @param file absolute path; nothing may write to it any more
   */
  async adopt(file: string, extension: DerivedExtension): Promise<StoredContent> {
    const stored = await hashFile(file);
    await this.store(stored.content, extension, (name) => this.storage.adopt(file, name));
    return stored;
  }

  async put(bytes: Buffer, extension: DerivedExtension): Promise<StoredContent> {
    const content = createHash('sha256').update(bytes).digest('hex').slice(0, contentLength);
    await this.store(content, extension, (name) => this.storage.put(name, inOnePiece(bytes)));
    return { content, bytes: bytes.length };
  }

  /**
   * Local path of a file, whether it exists or not.
   * @throws RangeError unless `content` is a content hash
   */
  localFile(content: string, extension: DerivedExtension): string {
    return this.storage.localFile(nameOf(content, extension));
  }

  /** Size in bytes, or null if the file does not exist. */
  size(content: string, extension: DerivedExtension): Promise<number | null> {
    return this.storage.size(nameOf(content, extension));
  }

  /** Reads a small file whole. Null if it does not exist. */
  read(content: string, extension: DerivedExtension): Promise<Buffer | null> {
    return readFile(this.localFile(content, extension)).catch(nullWhenMissing);
  }

  async remove(content: string, extension: DerivedExtension): Promise<void> {
    await this.storage.remove(nameOf(content, extension));
  }

  /**
   * Removes files that are no longer in use, and partial files left by a process that died while
   * writing.
   * @param writtenBefore epoch milliseconds; younger files are kept, as they may be about to be
   * used
   * @param findKnown returns the content hashes that are in use
   */
  async sweep(
    writtenBefore: number,
    findKnown: (contents: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    for (const folder of await this.storage.list('')) {
      const older = await this.listOlder(folder, writtenBefore);
      const known = await findKnown(older.map(contentOf).filter((content) => contentShape.test(content)));
      // The age is checked again, because the same content may have been stored anew in the
      // meantime.
      for (const name of older)
        if (!known.has(contentOf(name)) && (await this.isOlder(name, writtenBefore))) await this.storage.remove(name);
    }
  }

  /**
   * Replaces an existing file too. This renews its modification time, so a sweep in progress does
   * not remove it.
   */
  private async store(
    content: string,
    extension: DerivedExtension,
    complete: (name: string) => Promise<void>,
  ): Promise<void> {
    const mark = this.ids.long();
    const incoming = join(incomingFolder, mark);
    try {
      await complete(incoming);
      await this.storage.rename(incoming, nameOf(content, extension));
    } catch (error) {
      // A leftover that cannot be removed now is removed by a later sweep.
      await this.removeIncoming(mark).catch(() => {});
      throw error;
    }
  }

  /** Removes the incoming file and the `.part` file that the storage may have started for it. */
  private async removeIncoming(mark: string): Promise<void> {
    for (const name of await this.storage.list(incomingFolder))
      if (name.startsWith(mark)) await this.storage.remove(join(incomingFolder, name));
  }

  private async listOlder(folder: string, writtenBefore: number): Promise<string[]> {
    const older: string[] = [];
    for (const file of await this.storage.list(folder)) {
      const name = join(folder, file);
      if (await this.isOlder(name, writtenBefore)) older.push(name);
    }
    return older;
  }

  private async isOlder(name: string, writtenBefore: number): Promise<boolean> {
    const facts = await stat(this.storage.localFile(name)).catch(nullWhenMissing);
    return facts?.isFile() === true && facts.mtimeMs < writtenBefore;
  }
}

/** Two letters per folder keep each folder small enough for file systems to list quickly. */
function nameOf(content: string, extension: DerivedExtension): string {
  if (!contentShape.test(content)) throw new RangeError('This names no content.');
  return join(content.slice(0, 2), `${content}${extension}`);
}

function contentOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
}

/**
 * Never follows a link, because the programs that read untrusted videos write these files. @throws
 * unless it is a regular file
 */
async function hashFile(file: string): Promise<StoredContent> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (!(await handle.stat()).isFile()) throw new Error('Only a file can be stored.');
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: readBytes })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { content: hash.digest('hex').slice(0, contentLength), bytes };
}

async function* inOnePiece(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
  throw error;
}
