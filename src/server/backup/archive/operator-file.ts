import { join } from 'node:path';
import { openForReading } from '../../storage/open-for-reading.ts';
import { hasCode } from '../error-code.ts';
import { ArchiveRefused, archiveLimits } from './archive-format.ts';

/** What a file of DATA_DIR holds; null where there is none. @throws ArchiveRefused for one that is too large */
export async function readOperatorFile(dataFolder: string, name: string): Promise<Buffer | null> {
  try {
    // Never the database by another name: closing it would drop the locks of this process on it.
    await using handle = await openForReading(Buffer.from(join(dataFolder, name)));
    const facts = await handle.stat();
    if (!facts.isFile()) return null;
    if (facts.size > archiveLimits.memberBytes)
      throw new ArchiveRefused(`${name} in DATA_DIR is too large for a backup.`);
    return await handle.readFile();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
