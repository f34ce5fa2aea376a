import { limits } from '#contract/limits.ts';
import type { Database } from '../../database/connection.ts';
import { Invalid } from '../../http/pipeline/errors.ts';
import type { PathResolver } from '../videos/video.ts';
import { videoRepository } from '../videos/video-repository.ts';
import { filePathOf } from './library-files.ts';
import type { LibraryRoots } from './library-roots.ts';
import type { ServedRoot } from './root-repository.ts';

export function createPathResolver(database: Database, roots: Pick<LibraryRoots, 'active'>): PathResolver {
  const rootOf = (number: number) => roots.active().find((root) => root.number === number);
  return {
    pathOf({ rootNumber, path }) {
      const root = rootOf(rootNumber);
      return root === undefined ? path : toContractPath({ root, path }, roots.active());
    },
    async find(path) {
      const place = toLibraryPlace(path, roots.active());
      return place === null ? null : videoRepository.findByPath(database.reader, place.root.number, place.path);
    },
    async findNumbers(paths) {
      const places = paths.flatMap((path) => {
        const place = placeOf(path, roots.active());
        return place === null ? [] : [{ path, place }];
      });
      const numbers = new Map<string, number>();
      for (const [root, inRoot] of Map.groupBy(places, ({ place }) => place.root)) {
        const stored = inRoot.map(({ place }) => place.path);
        const byPath = await videoRepository.findNumbersByPath(database.reader, root.number, stored);
        for (const { path, place } of inRoot) {
          const number = byPath.get(place.path);
          if (number !== undefined) numbers.set(path, number);
        }
      }
      return numbers;
    },
    fileOf({ rootNumber, path }) {
      const root = rootOf(rootNumber);
      return root === undefined || root.kind === 'store' ? null : { folder: root.folder, file: toFile({ root, path }) };
    },
    storeOf({ rootNumber }) {
      const root = rootOf(rootNumber);
      return root?.kind === 'store' ? root.folder : null;
    },
    isUpload: ({ rootNumber }) => rootOf(rootNumber)?.kind === 'uploads',
  };
}

/** Returns null for text that cannot be a path, too. */
function placeOf(path: string, roots: readonly ServedRoot[]): LibraryPlace | null {
  return isPossiblePath(path) ? toLibraryPlace(path, roots) : null;
}

/** A root and a path in it. */
interface LibraryPlace {
  root: ServedRoot;
  /** Relative to the root, as it is stored. */
  path: string;
}

/**
 * The path of a video as clients know it: prefixed with the name of its root when there are several
 * roots. The root of uploads does not count and always has its prefix, so that the first upload
 * does not change the paths of a library with one root.
 */
export function toContractPath({ root, path }: LibraryPlace, roots: readonly ServedRoot[]): string {
  return root.kind === 'uploads' || foldersOf(roots).length > 1 ? `${root.name}/${path}` : path;
}

/** The path shape of uploads, which library files do not have by chance. */
const uploadedShape = /^[0-9a-f]{2}\/[0-9a-f-]{36}\.\w+$/;

function findUploaded(path: string, roots: readonly ServedRoot[]): LibraryPlace | null {
  const root = roots.find(({ kind }) => kind === 'uploads');
  if (root === undefined || !path.startsWith(`${root.name}/`)) return null;
  const below = path.slice(root.name.length + 1);
  return uploadedShape.test(below) ? { root, path: below } : null;
}

function foldersOf(roots: readonly ServedRoot[]): ServedRoot[] {
  return roots.filter(({ kind }) => kind !== 'uploads');
}

/**
 * The root and path that a client's path names. Nothing is normalized: the path is looked up among
 * the videos exactly as it is, so `..`, absolute paths and other tricks match nothing.
 * @throws Invalid for text that cannot be a path
 */
export function toLibraryPlace(path: string, allRoots: readonly ServedRoot[]): LibraryPlace | null {
  refuseImpossible(path);
  const uploaded = findUploaded(path, allRoots);
  if (uploaded !== null) return uploaded;
  const roots = foldersOf(allRoots);
  if (roots.length <= 1) return roots[0] === undefined ? null : { root: roots[0], path };
  const slash = path.indexOf('/');
  const root = roots.find((candidate) => candidate.name === path.slice(0, slash));
  return root === undefined || slash === -1 ? null : { root, path: path.slice(slash + 1) };
}

/** The absolute path of a file, in the bytes of the file system. */
export function toFile({ root, path }: LibraryPlace): Buffer {
  return Buffer.from(filePathOf(root.folder, path));
}

/** Whether the file system could have such a path. */
function isPossiblePath(path: string): boolean {
  return !path.includes('\0') && Buffer.byteLength(path) <= limits.pathBytes;
}

function refuseImpossible(path: string): void {
  if (path.includes('\0')) throw new Invalid([{ field: 'path', message: 'This is not a path.' }]);
  if (Buffer.byteLength(path) > limits.pathBytes)
    throw new Invalid([{ field: 'path', message: 'This path is too long.' }]);
}
