import type { Executor } from '../../../database/tables.ts';
import { headerVersion } from '../../../media/probe.ts';
import { comparePaths } from '../library-files.ts';
import type { KnownVideo, PathRange } from '../library-repository.ts';
import { findAtPaths, listKnown } from '../library-repository.ts';
import type { FoundFile, UnreadPlace, WalkStep } from './walk.ts';

/** A file that is new or has changed; `video` is the one that was known at its path. */
export interface ChangedFile {
  file: FoundFile;
  video: KnownVideo | null;
}

/** How a part of the disk differs from what the database knows. */
export interface Differences {
  /** Files of a video's name. */
  found: number;
  /** Those of them which are as they were, and can be played. */
  playable: number;
  changed: ChangedFile[];
  /** They had vanished, and are there again as they were. */
  returned: KnownVideo[];
  vanished: KnownVideo[];
  /** Places of which the disk told nothing: what is known there stays as it is. */
  unread: number;
}

const changesTogether = 256;
const filesTogether = 4_096;

/**
 * Goes through files and videos side by side, both in the order of their paths, and gives what differs in slices.
 * @param trustsInodes false for file systems that may number their files anew each time
 */
export async function* compare(
  steps: Iterable<WalkStep>,
  known: StoredVideos,
  trustsInodes: boolean,
): AsyncGenerator<Differences> {
  let slice = noDifferences();
  let unread: UnreadPlace | null = null;

  /** Passes over what comes before a path: those videos have no file any more. */
  async function passTo(path: string | null): Promise<KnownVideo | null> {
    for (let video = await known.current(); video !== null; video = await known.current()) {
      if (path !== null && comparePaths(video.path, path) >= 0) return video;
      known.advance();
      if (video.missing_since === null && !isWithin(unread, video.path)) slice.vanished.push(video);
    }
    return null;
  }

  for (const step of steps) {
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
 * What could not be read last time is tried again, and so is what was never fingerprinted, and what was read before
 * everything was read out of headers that is by now.
 */
function isUnchanged(video: KnownVideo, file: FoundFile, trustsInodes: boolean): boolean {
  if (video.size !== file.size || video.modified_us !== file.modifiedUs || video.reason === 'unreadable') return false;
  if (video.fingerprint === null && video.reason === null) return false;
  if (video.header_version < headerVersion) return false;
  return !trustsInodes || video.inode === file.inode;
}

function isWithin(unread: UnreadPlace | null, path: string): boolean {
  if (unread === null) return false;
  return path === unread.path || path.startsWith(unread.path.endsWith('/') ? unread.path : `${unread.path}/`);
}

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
