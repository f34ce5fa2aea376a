import { failures } from '#contract/failures.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { isDatabaseFull } from '../../database/dialect.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { Executor } from '../../database/tables.ts';
import type { UploadReceiver } from './receiving/upload-receiver.ts';
import { uploadSessionRepository } from './session-repository.ts';
import type { StoredUploadSession, UploadFile } from './upload-file.ts';
import { idleHours } from './upload-file.ts';
import type { UploadStorage } from './upload-storage.ts';

export interface EndingDeps {
  database: Database;
  clock: Clock;
  storage: UploadStorage;
  receiver: UploadReceiver;
}

const words = { cancelled: failures.uploadAborted, expired: 'The upload was not finished in time.' };

/**
 * Ends a session: received bytes are removed, completed videos stay. A second call changes nothing.
 */
export async function closeSession(
  deps: EndingDeps,
  { id }: Pick<StoredUploadSession, 'id'>,
  state: 'cancelled' | 'expired',
): Promise<void> {
  const { database, clock } = deps;
  const findComing = async (executor: Executor) =>
    (await uploadSessionRepository.listFiles(executor, id)).filter((file) => file.state === 'receiving');
  const end = () =>
    database.write(async (transaction) => {
      if (!(await uploadSessionRepository.end(transaction, id, state))) return [];
      const files = await findComing(transaction);
      for (const file of files) await uploadSessionRepository.failFile(transaction, file.id, words[state], clock.now());
      return files;
    });
  const coming = await makingRoom(deps, await findComing(database.reader), end);
  for (const file of coming) await deps.receiver.discard(file);
}

export async function terminateFile(deps: EndingDeps, file: UploadFile): Promise<void> {
  const end = () =>
    deps.database.write(async (transaction) => {
      const failed = await uploadSessionRepository.failFile(transaction, file.id, words.cancelled, deps.clock.now());
      if (failed) await uploadSessionRepository.endWhenDone(transaction, file.sessionId, 'cancelled');
      return failed;
    });
  const hasFailed = await makingRoom(deps, [file], end);
  if (hasFailed) await deps.receiver.discard(file);
}

/** A full disk does not even take the row that frees it: the bytes are removed first then. */
async function makingRoom<T>(
  { receiver }: EndingDeps,
  files: readonly UploadFile[],
  end: () => Promise<T>,
): Promise<T> {
  try {
    return await end();
  } catch (error) {
    if (!isDatabaseFull(error)) throw error;
    for (const file of files) await receiver.freeRoom(file);
    return end();
  }
}

/** Removes the bytes of sessions that were idle for too long, and those left by dead processes. */
export async function sweepUploads(deps: EndingDeps & { sweepTime: SweepTime }): Promise<void> {
  const { database } = deps;
  await closeOwnerless(deps);
  const sweptAt = await deps.sweepTime.read();
  const before = sweptAt - idleHours * 3_600_000;
  await closeAll(deps, () => uploadSessionRepository.listIdle(database.reader, before, sweptTogether));
  await deps.storage.sweep(sweptAt);
}

/** Ends the sessions of deleted accounts, and removes the received bytes of their files. */
export function closeOwnerless(deps: EndingDeps): Promise<void> {
  return closeAll(deps, () => uploadSessionRepository.listOwnerless(deps.database.reader, sweptTogether));
}

async function closeAll(deps: EndingDeps, list: () => Promise<string[]>): Promise<void> {
  for (let length = sweptTogether; length === sweptTogether; ) {
    const ids = await list();
    for (const id of ids) await closeSession(deps, { id }, 'expired');
    length = ids.length;
  }
}

const sweptTogether = 100;
