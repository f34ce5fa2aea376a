import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../ids.ts';
import type { Storage } from './storage.ts';

export type DerivedExtension = '.mp4' | '.webp' | '.vtt';

/** A stored file, by what makes up its name. */
export interface DerivedFile {
  content: string;
  extension: DerivedExtension;
}

/** What was stored, by the name of its content. */
export interface StoredContent {
  content: string;
  bytes: number;
}

/** The start of a SHA-256: 160 bits. */
const contentLength = 40;
const contentShape = /^[0-9a-f]{40}$/;
const readBytes = 1024 * 1024;
/** Where files get complete before they have the name of their content. */
const incomingFolder = 'incoming';

/**
 * What is made of videos, each file named by what is in it: equal content is one file, and a name always means the same
 * bytes. No file is held in memory but the small ones that are put and read whole.
 */
export class DerivedFiles {
  private readonly storage: Storage;
  private readonly ids: Pick<Ids, 'long'>;

  constructor(storage: Storage, ids: Pick<Ids, 'long'>) {
    this.storage = storage;
    this.ids = ids;
  }

  /** Takes a finished file over; it is gone from its place then. @param file absolute, and nobody writes to it */
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

  /** Where programs and streams of this machine read it, whether it is there or not. @throws RangeError for no name */
  localFile(content: string, extension: DerivedExtension): string {
    return this.storage.localFile(nameOf(content, extension));
  }

  /** Its bytes; null when it is not there. */
  size(content: string, extension: DerivedExtension): Promise<number | null> {
    return this.storage.size(nameOf(content, extension));
  }

  /** A small one, whole; null when it is not there. */
  read(content: string, extension: DerivedExtension): Promise<Buffer | null> {
    return readFile(this.localFile(content, extension)).catch(nullWhenMissing);
  }

  async remove(content: string, extension: DerivedExtension): Promise<void> {
    await this.storage.remove(nameOf(content, extension));
  }

  /**
   * Removes what nobody knows any more, and what a process has left behind that died while it wrote.
   * @param writtenBefore epoch milliseconds: younger files may be about to become known
   * @param findKnown which of some contents are in use
   */
  async sweep(
    writtenBefore: number,
    findKnown: (contents: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<void> {
    for (const folder of await this.storage.list('')) {
      const older = await this.listOlder(folder, writtenBefore);
      const known = await findKnown(older.map(contentOf).filter((content) => contentShape.test(content)));
      // Once more: the same content may have been stored anew meanwhile.
      for (const name of older)
        if (!known.has(contentOf(name)) && (await this.isOlder(name, writtenBefore))) await this.storage.remove(name);
    }
  }

  /** Also what is there already is replaced: it is young again, and no sweep that is under way removes it. */
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
      // What cannot be removed either is swept later.
      await this.removeIncoming(mark).catch(() => {});
      throw error;
    }
  }

  /** Also what the storage itself has begun for it. */
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

/** Two letters a folder: no folder grows beyond what file systems are quick with. */
function nameOf(content: string, extension: DerivedExtension): string {
  if (!contentShape.test(content)) throw new RangeError('This names no content.');
  return join(content.slice(0, 2), `${content}${extension}`);
}

function contentOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
}

/** Never through a link: programs that read strangers' videos write these files. @throws unless it is a file */
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
