import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, opendir, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { FolderList } from '#contract/entities/site.ts';
import { limits } from '#contract/limits.ts';
import type { Env } from '../../env.ts';
import { Invalid, NotFound, Refusal, Unavailable } from '../../http/pipeline/errors.ts';
import { WorkQueue } from '../../limits/work-queue.ts';
import { withinPatience } from './setting-checks.ts';

type Roots = Pick<Env, 'browseRoots' | 'libraryFolders'>;

/**
 * Lets administrators look for a folder on the server's disk, below the folders that the operator
 * allows. Hidden folders and symbolic links are not listed.
 */
export class FolderBrowser {
  private readonly roots: Roots;
  /** A dead network disk holds one of the few threads that all file access shares. */
  private readonly looks = new WorkQueue({ atOnce: 2, maxWaiting: 50 });

  constructor(roots: Roots) {
    this.roots = roots;
  }

  /**
   * Lists the folders in one, by name.
   * @param path empty: the folders where a search begins
   * @throws Invalid for half a path, NotFound for a folder that is not there or not allowed,
   * Refusal 403 for one that cannot be read, Unavailable if its disk does not answer
   */
  async list(path: string): Promise<FolderList> {
    const roots = browseRootsOf(this.roots);
    const [only] = roots;
    if (path === '' && (only === undefined || roots.length > 1)) return listRoots(roots);
    const wanted = path === '' ? (only ?? '') : checkPath(path);
    const looked = await withinPatience(this.looks.run(() => look(roots, wanted)));
    if (looked === null) throw new Unavailable('The disk of this folder does not answer.');
    return looked;
  }
}

/**
 * The folders below which administrators may look: the operator's, else those that the folders of
 * the library lie in, but never the whole disk.
 */
function browseRootsOf({ browseRoots, libraryFolders }: Roots): string[] {
  const around = (folder: string) => (dirname(folder) === sep ? folder : dirname(folder));
  return [...new Set(browseRoots ?? libraryFolders.map(around))];
}

function listRoots(roots: readonly string[]): FolderList {
  return { path: '', parent: null, folders: roots.map((path) => ({ name: path, path })), is_more: false };
}

/** @throws Invalid */
function checkPath(path: string): string {
  if (path.includes('\0') || !isAbsolute(path) || path.split(sep).includes('..'))
    throw new Invalid([{ field: 'path', message: 'A folder is a whole path that begins with /' }]);
  return resolve(path);
}

async function look(roots: readonly string[], path: string): Promise<FolderList> {
  const root = roots.find((one) => isWithin(one, path));
  if (root === undefined) throw new NotFound('folder');
  const { names, isMore } = await readFolder(root, path).catch(refuse);
  const isTop = roots.includes(path);
  return {
    path,
    parent: isTop ? (roots.length > 1 ? '' : null) : dirname(path),
    folders: names.map((name) => ({ name, path: join(path, name) })),
    is_more: isMore,
  };
}

/** Reads a folder by its descriptor, so that nothing can be put in its place after the check. */
async function readFolder(root: string, path: string): Promise<{ names: string[]; isMore: boolean }> {
  const real = await realpath(path);
  await using folder = await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const descriptor = await describe(folder);
  // Its place is asked after it was opened: links on the way may have changed meanwhile.
  if (!isWithin(await realpath(root), descriptor?.target ?? (await realpath(real)))) throw new NotFound('folder');
  return await listNames(descriptor?.path ?? real);
}

/** The path of the descriptor, and of what it has open (proc(5)); null on other systems. */
async function describe({ fd }: FileHandle): Promise<{ path: string; target: string } | null> {
  const path = `/proc/self/fd/${fd}`;
  const target = await readlink(path).catch(() => null);
  return target === null ? null : { path, target };
}

/** Reads a bounded number of entries, because a folder can have millions. */
async function listNames(folder: string): Promise<{ names: string[]; isMore: boolean }> {
  await using entries = await opendir(folder, { bufferSize: 1_024 });
  const names: string[] = [];
  let read = 0;
  for (let entry = await entries.read(); entry !== null; entry = await entries.read()) {
    read += 1;
    if (read > limits.browsedEntries) break;
    // Names that are not UTF-8 could not be sent back.
    const isNamed = !entry.name.startsWith('.') && !entry.name.includes('\uFFFD');
    if (isNamed && entry.isDirectory()) names.push(entry.name);
  }
  names.sort((one, other) => one.localeCompare(other, undefined, { numeric: true }));
  const isMore = read > limits.browsedEntries || names.length > limits.browsedFolders;
  return { names: names.slice(0, limits.browsedFolders), isMore };
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/** @throws Refusal */
function refuse(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(EACCES|EPERM)$/.test(code)) throw new Refusal('forbidden', { message: 'This folder cannot be read.' });
  if (/^(ENOENT|ENOTDIR|ELOOP|ENAMETOOLONG)$/.test(code)) throw new NotFound('folder');
  throw error;
}
