import type { Executor } from '../../../database/tables.ts';
import { comparePaths } from '../paths/path-order.ts';
import type { KnownVideo, PathRange } from './known-repository.ts';
import { findAtPaths, listKnown } from './known-repository.ts';

const pageLength = 2_000;

/** Videos that the database knows, one after the other in the order of their paths. */
export interface StoredVideos {
  /** The next one, and the same again until `advance`; null after the last. */
  current(): Promise<KnownVideo | null>;
  advance(): void;
}

/** Those of a root in a range, a page at a time: whatever their number, few are in memory. */
export function knownInRange(executor: Executor, rootNumber: number, range: PathRange): StoredVideos {
  const rest = { ...range };
  let page: KnownVideo[] = [];
  let at = 0;
  let isLastPage = false;

  async function turnPage(): Promise<void> {
    page = await listKnown(executor, rootNumber, rest, pageLength);
    at = 0;
    isLastPage = page.length < pageLength;
    rest.after = page.at(-1)?.path ?? rest.after;
  }

  return {
    async current() {
      if (at >= page.length && !isLastPage) await turnPage();
      return page[at] ?? null;
    },
    advance() {
      at += 1;
    },
  };
}

/** Those at some places of a root. */
export async function knownAt(executor: Executor, rootNumber: number, paths: readonly string[]): Promise<StoredVideos> {
  const videos = (await findAtPaths(executor, rootNumber, paths)).sort((one, other) =>
    comparePaths(one.path, other.path),
  );
  let at = 0;
  return {
    current: async () => videos[at] ?? null,
    advance() {
      at += 1;
    },
  };
}
