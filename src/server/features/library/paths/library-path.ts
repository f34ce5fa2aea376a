import { limits } from '#contract/limits.ts';
import { Invalid } from '../../../http/pipeline/errors.ts';
import { filePathOf } from './file-names.ts';
import type { LibraryRoot } from './library-root.ts';

/** A place in the library. */
export interface LibraryPlace {
  root: LibraryRoot;
  /** Relative to the root, as it is stored. */
  path: string;
}

/**
 * The path of a video as clients know it: with its root's name in front when there are several roots. That of uploads
 * does not count, and always has its name in front: paths of a library with one root do not change with the first upload.
 */
export function toContractPath({ root, path }: LibraryPlace, roots: readonly LibraryRoot[]): string {
  return root.kind === 'uploads' || foldersOf(roots).length > 1 ? `${root.name}/${path}` : path;
}

/** No file of a library is called like this by chance. */
const uploadedShape = /^[0-9a-f]{2}\/[0-9a-f-]{36}\.\w+$/;

function findUploaded(path: string, roots: readonly LibraryRoot[]): LibraryPlace | null {
  const root = roots.find(({ kind }) => kind === 'uploads');
  if (root === undefined || !path.startsWith(`${root.name}/`)) return null;
  const below = path.slice(root.name.length + 1);
  return uploadedShape.test(below) ? { root, path: below } : null;
}

function foldersOf(roots: readonly LibraryRoot[]): LibraryRoot[] {
  return roots.filter(({ kind }) => kind !== 'uploads');
}

/**
 * Where a client's path points to. Nothing is normalized: the path is looked up among the videos as it stands, so `..`,
 * absolute paths and whatever else is clever simply name nothing.
 * @throws Invalid for what cannot be a path at all
 */
export function toLibraryPlace(path: string, allRoots: readonly LibraryRoot[]): LibraryPlace | null {
  refuseImpossible(path);
  const uploaded = findUploaded(path, allRoots);
  if (uploaded !== null) return uploaded;
  const roots = foldersOf(allRoots);
  if (roots.length <= 1) return roots[0] === undefined ? null : { root: roots[0], path };
  const slash = path.indexOf('/');
  const root = roots.find((candidate) => candidate.name === path.slice(0, slash));
  return root === undefined || slash === -1 ? null : { root, path: path.slice(slash + 1) };
}

/** The file behind a place, in the bytes of the file system. */
export function toFile({ root, path }: LibraryPlace): Buffer {
  return Buffer.from(filePathOf(root.folder, path));
}

/** What the file system could have. */
export function isPossiblePath(path: string): boolean {
  return !path.includes('\0') && Buffer.byteLength(path) <= limits.pathBytes;
}

function refuseImpossible(path: string): void {
  if (path.includes('\0')) throw new Invalid([{ field: 'path', message: 'This is not a path.' }]);
  if (Buffer.byteLength(path) > limits.pathBytes)
    throw new Invalid([{ field: 'path', message: 'This path is too long.' }]);
}
