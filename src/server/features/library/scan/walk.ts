import { limits } from '#contract/limits.ts';
import { extensionOf } from '#contract/rules/upload-file.ts';
import { describedStem, describingFiles } from '../../../media/sidecar-file.ts';
import type { FileFacts, LibraryFilePath, LibraryFiles, NamedEntry } from '../library-files.ts';
import { filePathOf, isNowhere, sortPaths } from '../library-files.ts';

/** A file that may be a video. */
export interface FoundFile {
  kind: 'file';
  /** Relative to the root, as it is stored. */
  path: string;
  /** An absolute path; the key of an object. */
  file: LibraryFilePath;
  size: number;
  /** Epoch microseconds. */
  modifiedUs: number;
  inode: number;
  /** The entity tag of a file in a store, which is compared in place of the time; null on disks. */
  etag: string | null;
  /**
   * The latest change of the files with its title or description, in epoch microseconds; null
   * without any.
   */
  textsUs: number | null;
}

/** A file, or a folder with everything below it, that the disk could not read. */
export interface UnreadPlace {
  kind: 'unread';
  /** The path of a folder ends with a slash. */
  path: string;
}

export type WalkStep = FoundFile | UnreadPlace;

/** The parameters of a walk. */
export interface Walk {
  files: LibraryFiles;
  /** A root's folder, free of links. */
  root: string;
  /** Folders, free of links, that are not read. None of them is around the root. */
  leftOut?: readonly string[];
  /** Called for each folder before it is read; the path is '' or ends with a slash. */
  onFolder?: (path: string) => void;
}

/** The folder of a root is missing or unreadable, or its store does not list it. */
export class RootUnreadable extends Error {}

const extensions: ReadonlySet<string> = new Set(limits.uploadExtensions);

export function isVideoName(name: string): boolean {
  return !name.startsWith('.') && extensions.has(extensionOf(name));
}

/**
 * Yields all files with a video extension below a folder of a root, sorted by path. It skips hidden
 * files and folders, those that are left out, links that lead out of the root or to a folder, and
 * everything that is no regular file.
 * @param folder '' for the root, else with a slash at its end
 * @throws RootUnreadable; any other folder is yielded as unread, or is empty when it is gone
 */
export function* walkFolder(walk: Walk, folder = ''): Generator<WalkStep> {
  if (isLeftOut(walk, folder)) return;
  const entries = listFolder(walk, folder);
  if (entries === 'unread') yield { kind: 'unread', path: folder };
  if (typeof entries === 'string') return;
  const links = new Set(entries.filter((entry) => entry.kind === 'link').map((entry) => entry.name));
  const described = Map.groupBy(entries, ({ name }) => describedStem(name));
  for (const key of sortPaths(entries.filter(isWanted).map(toKey))) {
    const path = `${folder}${key}`;
    const texts = (described.get(stemOf(key)) ?? []).map(({ name }) => `${folder}${name}`);
    const step = key.endsWith('/') ? null : lookAt(walk, path, { isLink: links.has(key), texts });
    if (step !== null) yield step;
    else if (key.endsWith('/')) yield* walkFolder(walk, path);
  }
}

/**
 * The file or folder at one path of a root; null when it is neither a video nor a folder, or is left
 * out.
 */
export function walkPlace(walk: Walk, path: string): WalkStep | 'folder' | null {
  if (isLeftOut(walk, path)) return null;
  const facts = tryToLook(walk, path);
  if (facts === 'unread') return { kind: 'unread', path };
  if (facts === null || fileNameOf(path).startsWith('.')) return null;
  if (facts.kind === 'folder') return 'folder';
  if (!isVideoName(fileNameOf(path))) return null;
  return lookAt(walk, path, { isLink: facts.kind === 'link', texts: describingFiles(stemOf(path)) });
}

/** The last part of a path. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isLeftOut({ root, leftOut = [] }: Walk, path: string): boolean {
  const place = `${root}/${path}/`;
  return leftOut.some((folder) => place.startsWith(`${folder}/`));
}

function listFolder({ files, root, onFolder }: Walk, folder: string): NamedEntry[] | 'gone' | 'unread' {
  try {
    onFolder?.(folder);
    return files.list(filePathOf(root, folder));
  } catch (error) {
    if (folder === '') throw new RootUnreadable(root, { cause: error });
    return isNowhere(error) ? 'gone' : 'unread';
  }
}

function isWanted({ name, kind }: NamedEntry): boolean {
  return kind === 'folder' ? !name.startsWith('.') : kind !== 'other' && isVideoName(name);
}

/** A folder is sorted like the paths below it: `a.mp4` comes before `a/`. */
function toKey({ name, kind }: NamedEntry): string {
  return kind === 'folder' ? `${name}/` : name;
}

/** Returns null for an entry that is gone, leads out of the root or is no file. */
function lookAt(
  walk: Walk,
  path: string,
  { isLink, texts }: { isLink: boolean; texts: readonly string[] },
): WalkStep | null {
  const facts = isLink ? tryToFollow(walk, path) : tryToLook(walk, path);
  if (facts === 'unread') return { kind: 'unread', path };
  if (facts?.kind !== 'file') return null;
  const { size, modifiedUs, inode } = facts;
  const textsUs = latestChange(walk, texts);
  return { kind: 'file', path, file: filePathOf(walk.root, path), size, modifiedUs, inode, etag: null, textsUs };
}

/** A path without its extension. */
function stemOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

/** Links do not count, because their texts are not read. */
function latestChange(walk: Walk, paths: readonly string[]): number | null {
  const times = paths.flatMap((path) => {
    const facts = tryToLook(walk, path);
    return facts !== null && facts !== 'unread' && facts.kind === 'file' ? facts.modifiedUs : [];
  });
  return times.length === 0 ? null : Math.max(...times);
}

function tryToLook({ files, root }: Walk, path: string): FileFacts | 'unread' | null {
  try {
    return files.look(filePathOf(root, path));
  } catch {
    return 'unread';
  }
}

/** Returns null also for a link that leads out of the root. */
function tryToFollow({ files, root }: Walk, path: string): FileFacts | 'unread' | null {
  const file = filePathOf(root, path);
  try {
    const facts = files.follow(file);
    return facts !== null && isBelow(root, files.realPath(file)) ? facts : null;
  } catch (error) {
    return isNowhere(error) ? null : 'unread';
  }
}

function isBelow(root: string, file: Buffer): boolean {
  const start = Buffer.from(`${root}/`);
  return file.subarray(0, start.length).equals(start);
}
