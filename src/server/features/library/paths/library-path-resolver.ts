import type { Database } from '../../../database/connection.ts';
import type { PathResolver } from '../../videos/path-resolver.ts';
import { findVideoByPath } from '../../videos/video-repository.ts';
import { toContractPath, toFile, toLibraryPlace } from './library-path.ts';
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
    fileOf({ rootNumber, path }) {
      const root = rootOf(rootNumber);
      return root === undefined ? null : { folder: root.folder, file: toFile({ root, path }) };
    },
  };
}
