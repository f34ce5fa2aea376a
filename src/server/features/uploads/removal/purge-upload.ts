import { limits } from '#contract/limits.ts';
import { NotFound } from '../../../http/pipeline/errors.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { deleteEmptySessions } from '../session/failed-file-repository.ts';
import { storedName } from '../upload-file.ts';
import { forgetEntries } from './history-entry-repository.ts';
import type { RemovalDeps } from './removal-deps.ts';
import { deleteRemoved, listRemovedBefore, releaseStorage } from './removed-upload-repository.ts';

type PurgeDeps = Pick<RemovalDeps, 'database' | 'storage' | 'clock'>;

export const keptMs = limits.uploadKeptDays * 86_400_000;
const sweptTogether = 100;

/**
 * Removes the bytes of a removed upload: from then on there is no way back.
 * @param actorId null: its time is over
 * @throws NotFound
 */
export async function purgeUpload(
  { database, storage, clock }: PurgeDeps,
  id: string,
  actorId: string | null,
): Promise<void> {
  const removed = await database.write(async (transaction) => {
    await releaseStorage(transaction, id);
    const deleted = await deleteRemoved(transaction, id);
    if (deleted === null) throw new NotFound('upload');
    const subject = deleted.filename;
    if (actorId !== null) await recordActivity(transaction, { actorId, kind: 'upload_purged', subject }, clock.now());
    return deleted;
  });
  // After the commit, so that nobody brings back what has no bytes; if the process dies here, the reconciler does it.
  await storage.remove(storedName(removed));
}

/** Purges what was removed long ago, and forgets the entries that were deleted by then, and sessions without any. */
export async function sweepRemoved(deps: PurgeDeps & Pick<RemovalDeps, 'sweepTime'>): Promise<void> {
  const { database, sweepTime } = deps;
  const before = (await sweepTime.readLate()) - keptMs;
  for (let length = sweptTogether; length === sweptTogether; ) {
    const ids = await listRemovedBefore(database.reader, before, sweptTogether);
    for (const id of ids) await purgeUpload(deps, id, null).catch(ignoreNotFound);
    length = ids.length;
  }
  for (let length = sweptTogether; length === sweptTogether; )
    length = await database.write((transaction) => forgetEntries(transaction, before, sweptTogether));
  for (let length = sweptTogether; length === sweptTogether; )
    length = await database.write((transaction) => deleteEmptySessions(transaction, sweptTogether));
}

/** Another node, or an administrator, was faster. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
