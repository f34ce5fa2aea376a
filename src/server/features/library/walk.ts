import type { Dirent } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { limits } from '#contract/limits.ts';
import { extensionOf } from '#contract/rules/upload-file.ts';
import { isInside } from '../../storage/local-file.ts';
import { textFromName } from './file-names.ts';

/** A file that may be a video. */
export interface FoundFile {
  /** Relative to the root, as it is stored. */
  path: string;
  filename: string;
  /** Absolute, in the bytes of the file system. */
  file: Buffer;
  size: number;
  /** Epoch microseconds. */
  modifiedUs: number;
}

const sliceLength = 256;
const extensions: ReadonlySet<string> = new Set(limits.uploadExtensions);

/**
 * All files below a folder whose name is a video's, in slices. Hidden files and folders are left out, and so is every link that leads out of
 * the root and everything that is no regular file.
 * @throws when the root itself cannot be read
 */
export async function* walk(root: string): AsyncGenerator<FoundFile[]> {
  const realRoot = await realpath(root);
  let slice: FoundFile[] = [];
  for await (const names of listNames(realRoot)) {
    const files = await Promise.all(names.map((candidate) => look(realRoot, candidate)));
    slice.push(...files.filter((file) => file !== null));
    if (slice.length < sliceLength) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

interface Candidate {
  name: string;
  isLink: boolean;
}

/**
 * Names are handled one byte a character (latin1), which keeps what is not UTF-8.
 * Only the root may fail: a folder that cannot be read, or goes away meanwhile, has no files.
 */
async function* listNames(root: string): AsyncGenerator<Candidate[]> {
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      for await (const entries of listFolder(root, folder)) {
        for (const entry of entries) if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`);
        yield entries.filter(isCandidate).map((entry) => ({ name: `${folder}${entry.name}`, isLink: entry.isSymbolicLink() }));
      }
    } catch (error) {
      if (folder === '') throw error;
    }
  }
}

const namesAtOnce = 64;

async function* listFolder(root: string, folder: string): AsyncGenerator<Dirent[]> {
  let entries: Dirent[] = [];
  for await (const entry of await opendir(absolute(root, folder), { encoding: 'latin1', bufferSize: namesAtOnce })) {
    if (entry.name.startsWith('.')) continue;
    entries.push(entry);
    if (entries.length < namesAtOnce) continue;
    yield entries;
    entries = [];
  }
  yield entries;
}

function isCandidate(entry: Dirent): boolean {
  return !entry.isDirectory() && extensions.has(extensionOf(entry.name));
}

/** Null for what is gone, leads out of the root or is no file. */
async function look(root: string, { name, isLink }: Candidate): Promise<FoundFile | null> {
  const file = absolute(root, name);
  try {
    const facts = await stat(file, { bigint: true });
    if (!facts.isFile() || (isLink && !(await isInside(root, file)))) return null;
    const path = textFromName(Buffer.from(name, 'latin1'));
    return { path, filename: path.slice(path.lastIndexOf('/') + 1), file, size: Number(facts.size), modifiedUs: Number(facts.mtimeNs / 1000n) };
  } catch {
    return null;
  }
}

function absolute(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
}
