import { checkTagName } from '#contract/rules/tag.ts';
import { cleanName } from '#contract/rules/text.ts';
import { hasEscapedBytes } from '../library-files.ts';
import type { ServedRoot } from '../root-repository.ts';

/** A first-level folder below a root. */
export interface FirstFolder {
  rootNumber: number;
  /** The name as `library-files.ts` encodes it. */
  folder: string;
}

/**
 * The first folder of a stored path; null for a file in the root itself, and for a video without a
 * path of its own.
 */
export function firstFolderOf(path: string): string | null {
  const slash = path.indexOf('/');
  return slash > 0 ? path.slice(0, slash) : null;
}

/** A key that is unique for each folder. */
export function keyOfFolder({ rootNumber, folder }: FirstFolder): string {
  return `${rootNumber}/${folder}`;
}

/** The channel name that a folder gives; null when no channel may have it. */
export function channelNameOf(folder: string): string | null {
  if (hasEscapedBytes(folder)) return null;
  const name = cleanName(folder);
  return checkTagName(name) === null ? name : null;
}

/** A video with its path. */
interface TouchedVideo {
  number: number;
  root_number: number;
  path: string;
}

/**
 * Collects the videos that one scan has added, moved or found again, and whose folder links are not
 * updated yet.
 */
export class TouchedVideos {
  readonly moves = new FolderMoves();
  /** True when the library was empty: the scan touches every video. */
  readonly isAll: boolean;
  private readonly rootNumbers: ReadonlySet<number>;
  private readonly folders = new Map<string, FirstFolder>();
  private numbers: number[] = [];

  constructor(roots: readonly ServedRoot[], isAll: boolean) {
    // Only library folders become channels; the demo defines its own.
    this.rootNumbers = new Set(roots.filter(({ kind }) => kind === 'folder').map(({ number }) => number));
    this.isAll = isAll;
  }

  get count(): number {
    return this.numbers.length;
  }

  add({ number, root_number: rootNumber, path }: TouchedVideo): void {
    if (!this.rootNumbers.has(rootNumber)) return;
    this.numbers.push(number);
    const folder = firstFolderOf(path);
    if (folder !== null) this.folders.set(keyOfFolder({ rootNumber, folder }), { rootNumber, folder });
  }

  /** Returns the videos added since the last call, and their folders sorted by name. */
  take(): { numbers: number[]; folders: FirstFolder[] } {
    const { numbers } = this;
    const folders = [...this.folders.values()].sort(byName);
    this.numbers = [];
    this.folders.clear();
    return { numbers, folders };
  }
}

function byName(one: FirstFolder, other: FirstFolder): number {
  if (one.folder === other.folder) return one.rootNumber - other.rootNumber;
  return one.folder < other.folder ? -1 : 1;
}

/** The root and path of a video. */
interface Place {
  rootNumber: number;
  path: string;
}

/** A first folder that videos leave. */
interface Departure {
  from: FirstFolder;
  /** The targets by key; null stands for a root itself. */
  targets: Map<string, FirstFolder | null>;
  /** How many of the current moves start from a video that is not yet marked as missing. */
  leaving: number;
}

/** Records between which first folders videos move in one scan. */
export class FolderMoves {
  private readonly departures = new Map<string, Departure>();

  get hasAny(): boolean {
    return this.departures.size > 0;
  }

  /** Starts to record the moves that are about to be made. */
  begin(): void {
    for (const departure of this.departures.values()) departure.leaving = 0;
  }

  /** @param isNotedPresent whether the video is not yet marked as missing at its old path */
  note(from: Place, to: Place, isNotedPresent: boolean): void {
    const folder = toFolder(from);
    if (folder === null) return;
    const key = keyOfFolder(folder);
    const departure = this.departures.get(key) ?? { from: folder, targets: new Map(), leaving: 0 };
    this.departures.set(key, departure);
    const target = toFolder(to);
    departure.targets.set(target === null ? '' : keyOfFolder(target), target);
    if (isNotedPresent) departure.leaving += 1;
  }

  /** Folders that may have been renamed: all videos that left them went to one other folder. */
  candidates(): { from: FirstFolder; to: FirstFolder; leaving: number }[] {
    return [...this.departures].flatMap(([key, { from, targets, leaving }]) => {
      const [to, ...others] = targets.values();
      return to == null || others.length > 0 || keyOfFolder(to) === key ? [] : [{ from, to, leaving }];
    });
  }
}

function toFolder({ rootNumber, path }: Place): FirstFolder | null {
  const folder = firstFolderOf(path);
  return folder === null ? null : { rootNumber, folder };
}
