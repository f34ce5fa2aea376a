import type { Executor } from '../../../database/tables.ts';
import { headerVersion } from '../../../media/probe.ts';
import { isUnread } from '../../../media/unplayable.ts';
import { comparePaths } from '../library-files.ts';
import type { KnownVideo, PathRange } from '../library-repository.ts';
import { libraryRepository } from '../library-repository.ts';
import type { FoundFile, UnreadPlace, WalkStep } from './walk.ts';

/** A new or changed file; `video` is the known one at its path. */
export interface ChangedFile {
  file: FoundFile;
  video: KnownVideo | null;
}

/** How a part of the disk differs from the database. */
export interface Differences {
  /** The number of files with a video extension. */
  found: number;
  /** The number of unchanged, playable ones among them. */
  playable: number;
  changed: ChangedFile[];
  /** Videos that were missing and are back unchanged. */
  returned: KnownVideo[];
  vanished: KnownVideo[];
  /** The number of unreadable paths, whose videos stay as they are. */
  unread: number;
}

const changesTogether = 256;
const filesTogether = 4_096;

/**
 * Compares files with videos, both sorted by path, and yields the differences in slices.
 * @param trustsInodes false for file systems that may change inode numbers
 */
export async function* compare(
  steps: Iterable<WalkStep> | AsyncIterable<WalkStep>,
  known: StoredVideos,
  trustsInodes: boolean,
): AsyncGenerator<Differences> {
  let slice = noDifferences();
  let unread: UnreadPlace | null = null;

  /** Skips the videos before a path: their files are missing. */
  async function passTo(path: string | null): Promise<KnownVideo | null> {
    for (let video = await known.current(); video !== null; video = await known.current()) {
      if (path !== null && comparePaths(video.path, path) >= 0) return video;
      known.advance();
      if (video.missing_since === null && !isWithin(unread, video.path)) slice.vanished.push(video);
    }
    return null;
  }

  for await (const step of steps) {
    const video = await passTo(step.path);
    if (step.kind === 'unread') {
      unread = step;
      slice.unread += 1;
      continue;
    }
    const isKnown = video?.path === step.path;
    if (isKnown) known.advance();
    addToSlice(slice, step, isKnown ? video : null, trustsInodes);
    if (!isFull(slice)) continue;
    yield slice;
    slice = noDifferences();
  }
  await passTo(null);
  yield slice;
}

function noDifferences(): Differences {
  return { found: 0, playable: 0, changed: [], returned: [], vanished: [], unread: 0 };
}

function isFull({ found, changed, vanished }: Differences): boolean {
  return found >= filesTogether || changed.length >= changesTogether || vanished.length >= filesTogether;
}

function addToSlice(slice: Differences, file: FoundFile, video: KnownVideo | null, trustsInodes: boolean): void {
  slice.found += 1;
  if (video === null || !isUnchanged(video, file, trustsInodes)) {
    slice.changed.push({ file, video });
    return;
  }
  if (video.reason === null) slice.playable += 1;
  if (video.missing_since !== null) slice.returned.push(video);
}

/**
 * Whether a file need not be read again. Files that were unreadable, have no fingerprint or other
 * texts beside them, or were read by an older version of the header reader are read again.
 */
function isUnchanged(video: KnownVideo, file: FoundFile, trustsInodes: boolean): boolean {
  const isSame = file.etag === null ? video.modified_us === file.modifiedUs : video.etag === file.etag;
  if (video.size !== file.size || !isSame || isUnread(video.reason)) return false;
  if (video.fingerprint === null && video.reason === null) return false;
  if (video.header_version < headerVersion || video.texts_us !== file.textsUs) return false;
  return !trustsInodes || video.inode === file.inode;
}

function isWithin(unread: UnreadPlace | null, path: string): boolean {
  if (unread === null) return false;
  return path === unread.path || path.startsWith(unread.path.endsWith('/') ? unread.path : `${unread.path}/`);
}

const pageLength = 2_000;

/** A cursor over the videos of the database, sorted by path. */
export interface StoredVideos {
  /** The next video, the same one until `advance`; null at the end. */
  current(): Promise<KnownVideo | null>;
  advance(): void;
}

/** The videos of a root in a range, read in pages, so that few are in memory. */
export function knownInRange(executor: Executor, rootNumber: number, range: PathRange): StoredVideos {
  const rest = { ...range };
  let page: KnownVideo[] = [];
  let at = 0;
  let isLastPage = false;

  async function turnPage(): Promise<void> {
    page = await libraryRepository.listKnown(executor, rootNumber, rest, pageLength);
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

/** The videos at the given paths of a root. */
export async function knownAt(executor: Executor, rootNumber: number, paths: readonly string[]): Promise<StoredVideos> {
  const videos = (await libraryRepository.findAtPaths(executor, rootNumber, paths)).sort((one, other) =>
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
