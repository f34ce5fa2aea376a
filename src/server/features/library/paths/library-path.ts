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

/** The path of a video as clients know it: with its root's name in front when there are several roots. */
export function toContractPath(place: LibraryPlace, roots: readonly LibraryRoot[]): string {
  return roots.length > 1 ? `${place.root.name}/${place.path}` : place.path;
}

/**
 * Where a client's path points to. Nothing is normalized: the path is looked up among the videos as it stands, so `..`,
 * absolute paths and whatever else is clever simply name nothing.
 * @throws Invalid for what cannot be a path at all
 */
export function toLibraryPlace(path: string, roots: readonly LibraryRoot[]): LibraryPlace | null {
  refuseImpossible(path);
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
