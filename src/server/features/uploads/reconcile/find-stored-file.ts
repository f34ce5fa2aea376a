import { stat } from 'node:fs/promises';
import type { FileVersion } from '../../../storage/file-version.ts';
import { fileVersionOf } from '../../../storage/file-version.ts';
import type { IntakeDeps } from '../intake/intake-deps.ts';
import { videosFolder } from '../upload-file.ts';

/** What a row of the root of uploads says of its file. */
interface StoredFile {
  path: string;
  size: number;
  /** Epoch microseconds. */
  modifiedUs: number;
  fingerprint: string | null;
}

/**
 * The file of a stored video; null when it is not there, or is not the one that it was. A copy, as backups bring it, has
 * another time stamp and the same fingerprint.
 * @throws for a disk that fails, which says nothing about what is there
 */
export async function findStoredFile(
  { storage, prober }: Pick<IntakeDeps, 'storage' | 'prober'>,
  { path, size, modifiedUs, fingerprint }: StoredFile,
): Promise<FileVersion | null> {
  const file = storage.localFile(`${videosFolder}/${path}`);
  const facts = await stat(file, { bigint: true }).catch(nullWhenMissing);
  if (facts?.isFile() !== true) return null;
  const version = fileVersionOf(facts);
  if (version.size !== size) return null;
  if (version.modifiedUs === modifiedUs) return version;
  const [reading] = await prober.read([file]);
  return reading?.fingerprint === fingerprint ? version : null;
}

function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
  throw error;
}
