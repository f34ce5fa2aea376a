import type { Executor } from '../../../database/tables.ts';
import { NotFound } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { terminateFile } from '../session/end-session.ts';
import type { HistoryEntry } from './history-entry-repository.ts';
import { deleteEntry, findEntry, findHeir, passStorage } from './history-entry-repository.ts';
import type { RemovalDeps } from './removal-deps.ts';
import type { RemovedVideo } from './remove-video.ts';
import { removeVideo } from './remove-video.ts';

type Person = Pick<SignedIn, 'userId' | 'isAdmin'>;

/**
 * Deletes an entry of a history. A file that is still coming is cancelled. The video goes, too, unless it is one of the
 * library or others have sent it as well; an administrator removes it from everybody.
 * @throws NotFound also for what is somebody else's
 */
export async function deleteUpload(deps: RemovalDeps, id: string, person: Person): Promise<void> {
  const { idSets, database, revisions, posters, encodings } = deps;
  const { file } = await requireEntry(database.reader, id, person);
  if (file.state === 'receiving') await terminateFile(deps, file);
  const removed = await idSets.write(async (transaction, changes) => {
    // The log is held: until this ends nobody else points at a video, removes it or brings it back.
    return deleteWithin(deps, { transaction, changes }, await requireEntry(transaction, id, person), person);
  });
  if (removed === null) return;
  revisions.forget();
  // What stays of these after all is found by the clean-ups.
  if (removed.poster !== null) await posters.discard(removed.poster).catch(() => {});
  await encodings.discard(removed.derived).catch(() => {});
}

async function requireEntry(executor: Executor, id: string, { userId, isAdmin }: Person): Promise<HistoryEntry> {
  const entry = await findEntry(executor, id);
  if (entry === null || !(isAdmin || entry.file.userId === userId)) throw new NotFound('upload');
  return entry;
}

/** @returns null when only the entry went */
async function deleteWithin(
  deps: RemovalDeps,
  write: { transaction: Executor; changes: SetChanges },
  { file, video }: HistoryEntry,
  { userId }: Person,
): Promise<RemovedVideo | null> {
  const { transaction } = write;
  const now = deps.clock.now();
  const heir = video === null ? null : await findHeir(transaction, video.number, file.id);
  const isForAll = file.userId !== userId || heir === null;
  if (video?.isUpload && isForAll)
    return removeVideo(write, { videoNumber: video.number, entryId: file.id, actorId: userId, now });
  if (heir !== null) await passStorage(transaction, file.id, heir);
  await deleteEntry(transaction, file.id, now);
  return null;
}
