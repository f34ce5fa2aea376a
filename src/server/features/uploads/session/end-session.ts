import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { UploadReceiver } from '../address/upload-receiver.ts';
import type { UploadFile, UploadSession } from '../upload-file.ts';
import { idleHours, partName, partsFolder } from '../upload-file.ts';
import { endSession, endWhenDone, failFile, findReceiving, listFiles, listIdleSessions } from './session-repository.ts';

export interface EndingDeps {
  database: Database;
  clock: Clock;
  storage: Storage;
  receiver: UploadReceiver;
}

const words = { cancelled: 'The upload was cancelled.', expired: 'The upload was not finished in time.' };

/** What had come is removed; what has become a video stays. Again: nothing happens. */
export async function closeSession(
  deps: EndingDeps,
  { id }: Pick<UploadSession, 'id'>,
  state: 'cancelled' | 'expired',
): Promise<void> {
  const { database, clock } = deps;
  if (state === 'cancelled')
    for (const file of await listFiles(database.reader, id))
      if (file.state === 'receiving') await deps.receiver.freeRoom(file);
  const coming = await database.write(async (transaction) => {
    if (!(await endSession(transaction, id, state))) return [];
    const files = (await listFiles(transaction, id)).filter((file) => file.state === 'receiving');
    for (const file of files) await failFile(transaction, file.id, words[state], clock.now());
    return files;
  });
  for (const file of coming) await deps.receiver.discard(file);
}

/** Ends one file. */
export async function terminateFile(deps: EndingDeps, file: UploadFile): Promise<void> {
  await deps.receiver.freeRoom(file);
  const hasFailed = await deps.database.write(async (transaction) => {
    const failed = await failFile(transaction, file.id, words.cancelled, deps.clock.now());
    if (failed) await endWhenDone(transaction, file.sessionId);
    return failed;
  });
  if (hasFailed) await deps.receiver.discard(file);
}

/** Gives back the room of sessions that have had nothing for too long, and of what a process left that died. */
export async function sweepUploads(deps: EndingDeps): Promise<void> {
  const { database, clock } = deps;
  for (;;) {
    const idle = await listIdleSessions(database.reader, clock.now() - idleHours * 3_600_000, sweptTogether);
    for (const id of idle) await closeSession(deps, { id }, 'expired');
    if (idle.length < sweptTogether) break;
  }
  const names = await deps.storage.list(partsFolder);
  for (let from = 0; from < names.length; from += sweptTogether) {
    const slice = names.slice(from, from + sweptTogether);
    const receiving = await findReceiving(database.reader, slice);
    for (const id of slice) if (!receiving.has(id)) await deps.storage.remove(partName({ id }));
  }
}

const sweptTogether = 100;
