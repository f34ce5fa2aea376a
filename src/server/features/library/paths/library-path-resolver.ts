import type { Database } from '../../../database/connection.ts';
import type { PathResolver } from '../../videos/path-resolver.ts';
import { findNumbersByPath, findVideoByPath } from '../../videos/video-repository.ts';
import type { LibraryPlace } from './library-path.ts';
import { isPossiblePath, toContractPath, toFile, toLibraryPlace } from './library-path.ts';
import type { LibraryRoot } from './library-root.ts';
import type { LibraryRoots } from './roots.ts';

export function createPathResolver(database: Database, roots: LibraryRoots): PathResolver {
  const rootOf = (number: number) => roots.active().find((root) => root.number === number);
  return {
    pathOf({ rootNumber, path }) {
      const root = rootOf(rootNumber);
      return root === undefined ? path : toContractPath({ root, path }, roots.active());
    },
    async find(path) {
      const place = toLibraryPlace(path, roots.active());
      return place === null ? null : findVideoByPath(database.reader, place.root.number, place.path);
    },
    async findNumbers(paths) {
      const places = paths.flatMap((path) => {
        const place = placeOf(path, roots.active());
        return place === null ? [] : [{ path, place }];
      });
      const numbers = new Map<string, number>();
      for (const [root, inRoot] of Map.groupBy(places, ({ place }) => place.root)) {
        const stored = inRoot.map(({ place }) => place.path);
        const byPath = await findNumbersByPath(database.reader, root.number, stored);
        for (const { path, place } of inRoot) {
          const number = byPath.get(place.path);
          if (number !== undefined) numbers.set(path, number);
        }
      }
      return numbers;
    },
    fileOf({ rootNumber, path }) {
      const root = rootOf(rootNumber);
      return root === undefined ? null : { folder: root.folder, file: toFile({ root, path }) };
    },
  };
}

/** Null for what cannot be a path, too. */
function placeOf(path: string, roots: readonly LibraryRoot[]): LibraryPlace | null {
  return isPossiblePath(path) ? toLibraryPlace(path, roots) : null;
}
