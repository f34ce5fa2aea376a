import { createHash } from 'node:crypto';
import { readMemberName } from '../archive/archive-format.ts';
import type { CheckedArchive } from '../archive/check-archive.ts';
import { readOperatorFile } from '../archive/operator-file.ts';
import type { Disk } from '../disk.ts';
import { isRestoreTrace } from './restore-folder.ts';
import { RestoreRefused } from './restore-refused.ts';

const namesShown = 3;

/** A folder of its own on a disk of its own is made by the system. */
const ofSystem = 'lost+found';

/** @throws RestoreRefused for a data folder that holds anything */
export async function refuseUsedFolder(disk: Disk, dataFolder: string): Promise<void> {
  const names = (await disk.list(dataFolder)).filter((name) => name !== ofSystem && !isRestoreTrace(name));
  if (names.length === 0) return;
  const shown = names.sort().slice(0, namesShown).join(', ') + (names.length > namesShown ? ', …' : '');
  throw new RestoreRefused(
    `DATA_DIR is not empty: ${dataFolder} holds ${shown}. Nothing is ever replaced: stop the server and move what is there away, or name another folder.`,
  );
}

/**
 * Beside a PostgreSQL database the folder may be in use: posters lie there.
 * @returns the files of the archive that it has already
 * @throws RestoreRefused when it has one that differs
 */
export async function findSameFiles(dataFolder: string, { manifest }: CheckedArchive): Promise<Set<string>> {
  const same = new Set<string>();
  for (const { name, sha256 } of manifest.members) {
    const kind = readMemberName(name);
    if (kind === null || typeof kind === 'string' || !('file' in kind)) continue;
    const bytes = await readOperatorFile(dataFolder, kind.file);
    if (bytes === null) continue;
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new RestoreRefused(
        `${dataFolder} holds another ${kind.file} than the backup. Nothing is ever replaced: move it away first.`,
      );
    same.add(kind.file);
  }
  return same;
}
