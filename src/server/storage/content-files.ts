import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Ids } from '../ids.ts';

/**
 * Small files named by a hash of their content: equal content is one file, and a name always means
 * the same bytes. Derived files (`storage/derived-files.ts`) can be as large as films: they are
 * hashed in a stream, moved instead of written, and synced together with their folders.
 */
export interface ContentFiles {
  /** @returns the name */
  put(bytes: Buffer): Promise<string>;
  /** Null if the file does not exist. */
  read(name: string): Promise<Buffer | null>;
  has(name: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /**
   * Removes files that are no longer in use, and partial files left by a process that died while
   * writing.
   * @param writtenBefore epoch milliseconds; younger files are kept, as they may be about to be
   * used
   * @param findKnown returns the names that are in use
   */
  sweep(writtenBefore: number, findKnown: (names: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
}

const nameShape = /^[0-9a-f]{40}$/;

/** @param folder absolute @param extension with its dot */
export function createContentFiles(folder: string, extension: string, ids: Pick<Ids, 'long'>): ContentFiles {
  // Two letters per folder keep each folder small enough for file systems to list quickly.
  const fileOf = (name: string) => join(folder, name.slice(0, 2), `${name}${extension}`);
  const nameOf = (file: string) => basename(file, extension);

  return {
    async put(bytes) {
      const name = createHash('sha256').update(bytes).digest('hex').slice(0, 40);
      await writeWhole(fileOf(name), bytes, ids.long());
      return name;
    },
    async read(name) {
      return nameShape.test(name) ? readFile(fileOf(name)).catch(nullWhenMissing) : null;
    },
    async has(name) {
      return nameShape.test(name) && (await stat(fileOf(name)).catch(nullWhenMissing)) !== null;
    },
    async remove(name) {
      if (nameShape.test(name)) await rm(fileOf(name), { force: true });
    },
    async sweep(writtenBefore, findKnown) {
      for (const part of await readdir(folder).catch(() => [])) {
        const files = await listOlder(join(folder, part), writtenBefore);
        const known = await findKnown(files.map(nameOf).filter((name) => nameShape.test(name)));
        for (const file of files) if (!known.has(nameOf(file))) await rm(file, { force: true });
      }
    },
  };
}

/**
 * Writes to a temporary file next to the target and renames it, so a partial file never has the
 * name.
 */
async function writeWhole(file: string, bytes: Buffer, mark: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const beside = `${file}.${mark}`;
  try {
    await using handle = await open(beside, 'wx');
    await handle.writeFile(bytes);
    await handle.sync();
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function listOlder(folder: string, writtenBefore: number): Promise<string[]> {
  const older: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const facts = await stat(join(folder, name)).catch(() => null);
    if (facts?.isFile() === true && facts.mtimeMs < writtenBefore) older.push(join(folder, name));
  }
  return older;
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
  throw error;
}
