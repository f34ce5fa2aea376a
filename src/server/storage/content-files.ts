import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Ids } from '../ids.ts';

/**
 * Small files that are named by what is in them: equal content is one file, and a name always means the same bytes.
 * Derived files (`storage/derived-files.ts`) are as large as films: they are hashed while they are read, moved instead
 * of written, and synced with their folders.
 */
export interface ContentFiles {
  /** @returns the name */
  put(bytes: Buffer): Promise<string>;
  /** Null when it is not there. */
  read(name: string): Promise<Buffer | null>;
  has(name: string): Promise<boolean>;
  remove(name: string): Promise<void>;
  /**
   * Removes what nobody knows any more, and what a process has left behind that died while it wrote.
   * @param writtenBefore epoch milliseconds: younger files may be about to become known
   * @param findKnown which of some names are in use
   */
  sweep(writtenBefore: number, findKnown: (names: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
}

const nameShape = /^[0-9a-f]{40}$/;

/** @param folder absolute @param extension with its dot */
export function createContentFiles(folder: string, extension: string, ids: Pick<Ids, 'long'>): ContentFiles {
  // Two letters a folder: no folder grows beyond what file systems are quick with.
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

/** Either the whole file stands under its name or none: written beside it, then moved. */
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
