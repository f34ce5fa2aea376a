import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { ListedFile, OpenedFile, Storage } from './storage.ts';
import { inSlices } from './storage.ts';

type DerivedExtension = '.mp4' | '.webp' | '.vtt';

const types: Readonly<Record<DerivedExtension, string>> = {
  '.mp4': 'video/mp4',
  '.webp': 'image/webp',
  '.vtt': 'text/vtt',
};

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
const sweptTogether = 500;

/**
 * Files derived from videos, named by a hash of their content: equal content is one file, and a
 * name always means the same bytes. Only `put` and `read` hold a whole file in memory; they are for
 * small files.
 */
export class DerivedFiles {
  private readonly storage: Storage;

  constructor(storage: Storage) {
    this.storage = storage;
  }

  /**
   * Moves a finished file into the store.
   * @param file absolute path; nothing may write to it any more
   */
  async adopt(file: string, extension: DerivedExtension): Promise<StoredContent> {
    const stored = await hashFile(file);
    await this.storage.publish(file, nameOf(stored.content, extension), types[extension]);
    return stored;
  }

  async put(bytes: Buffer, extension: DerivedExtension): Promise<StoredContent> {
    const content = createHash('sha256').update(bytes).digest('hex').slice(0, contentLength);
    const facts = { bytes: bytes.length, type: types[extension] };
    await this.storage.put(nameOf(content, extension), inOnePiece(bytes), facts);
    return { content, bytes: bytes.length };
  }

  /** Opens a file for an answer. @throws RangeError unless `content` is a content hash */
  open({ content, extension }: DerivedFile, size: number, window: FileWindow | null): Promise<OpenedFile> {
    return this.storage.open(nameOf(content, extension), { size, modifiedUs: null }, window);
  }

  /** The address from which browsers fetch a file themselves; null if the server sends it. */
  addressOf({ content, extension }: DerivedFile, query: Readonly<Record<string, string>>): Promise<string> | null {
    return this.storage.addressOf?.(nameOf(content, extension), query) ?? null;
  }

  /** Reads a small file whole. Null if it does not exist. */
  async read(content: string, extension: DerivedExtension): Promise<Buffer | null> {
    return this.storage.read(nameOf(content, extension));
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
    const before = writtenBefore - this.storage.clockMarginMs;
    await this.storage.removeUnfinished?.(before);
    const isOlder = (file: Pick<ListedFile, 'modifiedUs'> | null) => file !== null && file.modifiedUs < before * 1_000;
    for await (const slice of inSlices(this.storage.list(''), sweptTogether)) {
      const older = slice.filter(isOlder).map(({ name }) => name);
      const known = await findKnown(older.map(contentOf).filter((content) => contentShape.test(content)));
      // The age is checked again, because the same content may have been stored anew in the
      // meantime.
      for (const name of older)
        if (!known.has(contentOf(name)) && isOlder(await this.storage.find(name))) await this.storage.remove(name);
    }
  }
}

/** The media type of a stored file; null for a name that no derived file has. */
export function typeOfDerived(name: string): string | null {
  const extension = name.slice(name.lastIndexOf('.')) as DerivedExtension;
  return contentShape.test(contentOf(name)) ? (types[extension] ?? null) : null;
}

/** Two letters per folder keep each folder small enough for file systems to list quickly. */
function nameOf(content: string, extension: DerivedExtension): string {
  if (!contentShape.test(content)) throw new RangeError('This names no content.');
  return `${content.slice(0, 2)}/${content}${extension}`;
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
