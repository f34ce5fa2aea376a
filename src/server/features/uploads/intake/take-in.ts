import { stat } from 'node:fs/promises';
import { Refusal, Unavailable } from '../../../http/pipeline/errors.ts';
import type { FileReading } from '../../../media/probe/file-reading.ts';
import type { UnplayableReason } from '../../../media/unplayable.ts';
import { unplayable } from '../../../media/unplayable.ts';
import { fileVersionOf } from '../../../storage/file-version.ts';
import { openPart } from '../address/open-part.ts';
import type { UploadLock } from '../lock/upload-locks.ts';
import { failFile } from '../session/session-repository.ts';
import type { UploadFile, UploadSession } from '../upload-file.ts';
import { notArrived, partName, storedName, videosFolder } from '../upload-file.ts';
import { commitExisting, commitNew } from './commit-intake.ts';
import type { IntakeDeps } from './intake-deps.ts';
import { findCandidates, findHiddenPaths } from './intake-repository.ts';
import { findSameBytes } from './same-bytes.ts';

/** What is no video at all; what only cannot be played is stored, with its reason. */
const refusedReasons: ReadonlySet<UnplayableReason | null> = new Set(['not_a_video', 'empty']);

/**
 * Makes a video of a file that has come whole: its bytes under a name of ours, and its row, or neither. A file that has
 * become one already is left alone.
 * @returns why it cannot become one, in words for its owner; null when it has
 * @throws Unavailable when it cannot be looked at now
 */
export async function takeIn(deps: IntakeDeps, session: UploadSession, file: UploadFile): Promise<string | null> {
  const lock = await deps.locks.take(file, false);
  try {
    if (lock.found.state === 'completed') return null;
    await closeWhole(deps, file, lock);
    const reading = await read(deps, file);
    if (refusedReasons.has(reading.probe.reason)) return await refuse(deps, file, reading.probe.reason);
    await deps.turns.run(reading.fingerprint ?? file.id, () => store(deps, session, file, reading));
    return null;
  } finally {
    await lock.release();
  }
}

/** All of it is on the disk. @throws Refusal when some of it is missing after all */
async function closeWhole({ storage }: IntakeDeps, file: UploadFile, lock: UploadLock): Promise<void> {
  const part = await openPart(storage, file, lock);
  await part.close();
  if (part.size !== file.size) throw new Refusal('conflict', { message: notArrived });
}

async function read({ prober, storage }: IntakeDeps, file: UploadFile): Promise<FileReading> {
  const [reading] = await prober.read([storage.localFile(partName(file))]);
  if (reading === undefined || reading.probe.reason === 'unreadable') throw new Unavailable();
  return reading;
}

async function refuse(
  { database, storage, clock }: IntakeDeps,
  file: UploadFile,
  reason: UnplayableReason | null,
): Promise<string> {
  const words = unplayable[reason ?? 'not_a_video'];
  await database.write((transaction) => failFile(transaction, file.id, words, clock.now()));
  await storage.remove(partName(file));
  return words;
}

/** Bytes that are there already are not stored again, also when another node stores them at this moment. */
async function store(deps: IntakeDeps, session: UploadSession, file: UploadFile, reading: FileReading): Promise<void> {
  const { database, storage } = deps;
  const compared: number[] = [];
  for (;;) {
    const looks = { fingerprint: reading.fingerprint ?? '', size: file.size };
    const candidates = reading.fingerprint === null ? [] : await findCandidates(database.reader, looks, compared);
    const same = await findSameBytes(storage, partName(file), file.size, candidates);
    if (same !== null && (await commitExisting(deps, session, file, same.number))) {
      await storage.remove(partName(file));
      return;
    }
    compared.push(...candidates.map(({ number }) => number));
    // After the look at videos that are there: one that is removed between the two is found here.
    const isHidden = await wasHidden(deps, file, reading.fingerprint);
    const own = { ...session, needsApproval: session.needsApproval || isHidden };
    await storage.rename(partName(file), storedName(file));
    const version = fileVersionOf(await stat(storage.localFile(storedName(file)), { bigint: true }));
    if (await commitNew(deps, own, file, { reading, version, compared })) return;
    await storage.rename(storedName(file), partName(file));
  }
}

/** What was hidden does not come back by being removed and sent again. */
async function wasHidden(
  { database, storage }: IntakeDeps,
  file: UploadFile,
  fingerprint: string | null,
): Promise<boolean> {
  if (fingerprint === null) return false;
  const paths = await findHiddenPaths(database.reader, fingerprint, file.size);
  const folder = storage.localFile(videosFolder);
  const removed = paths.map((path) => ({ folder, path }));
  return (await findSameBytes(storage, partName(file), file.size, removed)) !== null;
}
