import { stat } from 'node:fs/promises';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import { holdLog } from '../../../id-sets/set-repository.ts';
import { findNumbersByPath } from '../../videos/video-repository.ts';
import type { IntakeDeps } from '../intake/intake-deps.ts';
import { keptMs } from '../removal/purge-upload.ts';
import { fileIdOf, videosFolder } from '../upload-file.ts';
import { findKnownFiles } from './stored-upload-repository.ts';

export type StrayDeps = Pick<IntakeDeps, 'database' | 'sweepTime' | 'storage' | 'rootNumber'>;

const folderShape = /^[0-9a-f]{2}$/;
/** The name of a file as `videoPath` makes it. Whatever else somebody put there is left alone. */
const fileShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z0-9]+$/;

/**
 * Removes stored videos that no video, no removed one and no upload on its way has: what a process left that died. Those
 * that the database has never heard of are kept until they are older than everything that could be brought back: the
 * database may have been restored from a backup that is older than they are.
 */
export async function removeStrays(deps: StrayDeps, signal: AbortSignal): Promise<void> {
  const { storage } = deps;
  for (const folder of await storage.list(videosFolder)) {
    if (!folderShape.test(folder)) continue;
    const names = (await storage.list(`${videosFolder}/${folder}`)).filter((name) => fileShape.test(name));
    for (let from = 0; from < names.length && !signal.aborted; from += inListLength)
      await removeStraysOf(
        deps,
        names.slice(from, from + inListLength).map((name) => `${folder}/${name}`),
      );
  }
}

async function removeStraysOf(deps: StrayDeps, paths: readonly string[]): Promise<void> {
  const { database, storage } = deps;
  const suspects = await findStrays(deps, database.reader, paths);
  if (suspects.known.length + suspects.unknown.length === 0) return;
  // What was read one after the other may have changed in between: nothing does while the log is held.
  const strays = await database.write(async (transaction) => {
    await holdLog(transaction);
    return findStrays(deps, transaction, [...suspects.known, ...suspects.unknown]);
  });
  for (const path of strays.known) await storage.remove(`${videosFolder}/${path}`);
  const before = (await deps.sweepTime.readLate()) - keptMs;
  for (const path of strays.unknown)
    if (await isOlder(deps, `${videosFolder}/${path}`, before)) await storage.remove(`${videosFolder}/${path}`);
}

/** Paths that nothing explains, by whether there is an entry of theirs. */
interface Strays {
  known: string[];
  unknown: string[];
}

async function findStrays({ rootNumber }: StrayDeps, executor: Executor, paths: readonly string[]): Promise<Strays> {
  const numbers = await findNumbersByPath(executor, rootNumber(), paths);
  const left = paths.filter((path) => !numbers.has(path));
  const { wanted, known } = await findKnownFiles(executor, left.map(fileIdOf));
  const strays = left.filter((path) => !wanted.has(fileIdOf(path)));
  return {
    known: strays.filter((path) => known.has(fileIdOf(path))),
    unknown: strays.filter((path) => !known.has(fileIdOf(path))),
  };
}

async function isOlder({ storage }: StrayDeps, name: string, before: number): Promise<boolean> {
  const facts = await stat(storage.localFile(name)).catch(() => null);
  return facts !== null && facts.mtimeMs < before;
}
