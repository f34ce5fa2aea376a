import type { LibraryRoot } from '../paths/library-root.ts';
import type { FirstFolder } from './first-folder.ts';
import { firstFolderOf, keyOfFolder } from './first-folder.ts';
import { FolderMoves } from './folder-moves.ts';

/** A video at its place. */
interface TouchedVideo {
  number: number;
  root_number: number;
  path: string;
}

/** The videos of one scan that are new, were moved or have returned, and whose links by folder are not made yet. */
export class TouchedVideos {
  readonly moves = new FolderMoves();
  /** True when the scan touches every video there is: the library was empty. */
  readonly isAll: boolean;
  private readonly rootNumbers: ReadonlySet<number>;
  private readonly folders = new Map<string, FirstFolder>();
  private numbers: number[] = [];

  constructor(roots: readonly LibraryRoot[], isAll: boolean) {
    // Only folders of people become channels: the demo has its own.
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

  /** Those since the last time; the folders by their names. */
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
