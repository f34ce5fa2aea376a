import type { FirstFolder } from './first-folder.ts';
import { firstFolderOf, keyOfFolder } from './first-folder.ts';

/** A place of a video. */
interface Place {
  rootNumber: number;
  path: string;
}

/** A first folder that videos leave. */
interface Departure {
  from: FirstFolder;
  /** Where to, by key; null stands for a root itself. */
  targets: Map<string, FirstFolder | null>;
  /** How many of those that are leaving at the moment are still noted as being there. */
  leaving: number;
}

/** From which first folders to which others videos go in one scan. */
export class FolderMoves {
  private readonly departures = new Map<string, Departure>();

  get hasAny(): boolean {
    return this.departures.size > 0;
  }

  /** The moves noted from here on are the ones that are about to be made. */
  begin(): void {
    for (const departure of this.departures.values()) departure.leaving = 0;
  }

  /** @param isNotedPresent whether the video is not yet known to be missing from where it was */
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

  /** Folders that may have been renamed: whatever left them has gone to one other folder. */
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
