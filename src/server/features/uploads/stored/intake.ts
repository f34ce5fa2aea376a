import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { SweepTime } from '../../../database/sweep-time.ts';
import type { Executor } from '../../../database/tables.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import type { Ids } from '../../../ids.ts';
import type { FileReading } from '../../../media/file-reading.ts';
import type { UnplayableReason } from '../../../media/unplayable.ts';
import { unplayable } from '../../../media/unplayable.ts';
import type { FileVersion } from '../../../storage/open-for-reading.ts';
import type { NewVideo } from '../../library/library-repository.ts';
import { libraryRepository, toReadFacts } from '../../library/library-repository.ts';
import { linksOf, putOnVideo } from '../../tagging/video-tags.ts';
import { tagLinkRepository } from '../../tags/link-repository.ts';
import { mergedTagRepository } from '../../tags/merged-tag-repository.ts';
import { videoRepository } from '../../videos/video-repository.ts';
import type { UploadLocks } from '../receiving/upload-locks.ts';
import { uploadSessionRepository } from '../session-repository.ts';
import type { StoredUploadSession, UploadFile } from '../upload-file.ts';
import { videoPath } from '../upload-file.ts';
import type { UploadStorage, WholeFile } from '../upload-storage.ts';
import { storedUploadRepository } from './stored-upload-repository.ts';

/** Files with these reasons are refused; other unplayable videos are stored with their reason. */
const refusedReasons: ReadonlySet<UnplayableReason | null> = new Set(['not_a_video', 'empty']);

/**
 * Makes a video of a file that has arrived completely: its file under a generated name and its row,
 * or neither. A file that is a video already is left alone.
 * @returns why it cannot become one, in words for its owner; null when it has
 * @throws Refusal 409 when some of it is missing after all; Unavailable when it cannot be read now
 */
export async function takeIn(deps: IntakeDeps, session: StoredUploadSession, file: UploadFile): Promise<string | null> {
  const lock = await deps.locks.take(file, false);
  try {
    if (lock.found.state === 'completed') return null;
    // It may have been cancelled while this waited.
    if (lock.found.state !== 'receiving') throw new Refusal('gone');
    const whole = await deps.storage.openWhole(file, lock);
    const { probe, fingerprint } = whole.reading;
    if (refusedReasons.has(probe.reason)) return await refuseFile(deps, { file, whole }, probe.reason);
    await deps.turns.run(fingerprint ?? file.id, () => storeVideo(deps, session, { file, whole }));
    return null;
  } finally {
    await lock.release();
  }
}

/** A file that has arrived, and its bytes. */
interface Arrived {
  file: UploadFile;
  whole: WholeFile;
}

async function refuseFile(
  { database, clock }: IntakeDeps,
  { file, whole }: Arrived,
  reason: UnplayableReason | null,
): Promise<string> {
  const words = unplayable[reason ?? 'not_a_video'];
  await database.write((transaction) => uploadSessionRepository.failFile(transaction, file.id, words, clock.now()));
  await whole.remove();
  return words;
}

/**
 * Stores the video, unless a video with the same bytes exists, even one that another node is just
 * storing.
 */
async function storeVideo(deps: IntakeDeps, session: StoredUploadSession, { file, whole }: Arrived): Promise<void> {
  const { database } = deps;
  const { fingerprint } = whole.reading;
  const compared: number[] = [];
  for (;;) {
    const looks = { fingerprint: fingerprint ?? '', size: file.size };
    const candidates =
      fingerprint === null ? [] : await storedUploadRepository.findCandidates(database.reader, looks, compared);
    const same = await whole.findSame(candidates);
    if (same !== null && (await commitExisting(deps, session, file, same.number))) {
      await whole.remove();
      return;
    }
    compared.push(...candidates.map(({ number }) => number));
    // This follows the search for existing videos, so that it finds one that is removed between the
    // two. A hidden video stays hidden when it is removed and uploaded again.
    const hidden =
      fingerprint === null ? [] : await storedUploadRepository.findHidden(database.reader, fingerprint, file.size);
    const isHidden = (await whole.findSame(hidden)) !== null;
    const own = { ...session, needsApproval: session.needsApproval || isHidden };
    const version = await whole.store();
    if (await commitNew(deps, own, { file, whole }, { version, compared })) return;
    await whole.unstore();
  }
}

/** The dependencies of making videos of files. */
export interface IntakeDeps {
  database: Database;
  sweepTime: SweepTime;
  idSets: Pick<IdSets, 'write'>;
  clock: Clock;
  ids: Ids;
  storage: UploadStorage;
  locks: UploadLocks;
  turns: KeyedTurns;
  /** The number of the root of uploads. */
  rootNumber(): number;
}

/**
 * Links the entry to an existing video, in one transaction.
 * @returns false when the video has been removed
 * @throws Refusal 410 when the upload was cancelled
 */
async function commitExisting(
  { idSets, clock }: IntakeDeps,
  session: StoredUploadSession,
  file: UploadFile,
  videoNumber: number,
): Promise<boolean> {
  return idSets.write(async (transaction, changes) => {
    // Who removes or merges holds the log alone, so that the video and its tags stay until this
    // transaction ends.
    if ((await videoRepository.findByNumber(transaction, videoNumber)) === null) return false;
    await completeOrRefuse(transaction, file, { videoNumber, storedBytes: 0, now: clock.now() });
    // An upload that needs approval must not change what others see, nor one by somebody who may
    // not open what is only for some.
    const mayTag = session.isOwnerAdmin || !(await tagLinkRepository.isOnRestricted(transaction, videoNumber));
    if (!session.needsApproval && mayTag) await putTags(transaction, changes, session, videoNumber);
    return true;
  }, linksOf(videoNumber));
}

/**
 * Stores the video, its tags, the sets and the entry in one transaction.
 * @param compared numbers of videos that look the same and are not
 * @returns false when another video that looks the same has appeared: another node may have stored
 * these bytes
 * @throws Refusal 410 when the upload was cancelled
 */
export async function commitNew(
  deps: IntakeDeps,
  session: StoredUploadSession,
  { file, whole }: { file: UploadFile; whole: Pick<WholeFile, 'reading' | 'partsSum'> },
  { version, compared }: { version: FileVersion; compared: readonly number[] },
): Promise<boolean> {
  const { fingerprint } = whole.reading;
  const looks = { fingerprint: fingerprint ?? '', size: file.size };
  // Nodes that store the same bytes do so one after the other, so that each sees the videos of the
  // others.
  const key = fingerprint === null ? `upload ${file.id}` : `bytes ${fingerprint} ${file.size}`;
  return deps.idSets.write(async (transaction, changes) => {
    if (fingerprint !== null && (await storedUploadRepository.findCandidates(transaction, looks, compared)).length > 0)
      return false;
    const [video] = await libraryRepository.insert(transaction, changes, [
      toNewVideo(deps, session, file, { ...whole, version }),
    ]);
    if (video === undefined) throw new Error(`The place of upload ${file.id} is taken.`);
    await completeOrRefuse(transaction, file, {
      videoNumber: video.number,
      storedBytes: version.size,
      now: deps.clock.now(),
    });
    changes.put('untagged', [video.number], true);
    await putTags(transaction, changes, session, video.number);
    return true;
  }, key);
}

async function completeOrRefuse(
  transaction: Executor,
  file: UploadFile,
  done: { videoNumber: number; storedBytes: number; now: number },
): Promise<void> {
  if (!(await storedUploadRepository.completeFile(transaction, file, done))) throw new Refusal('gone');
}

/**
 * Adds the tags that still exist. None is merged or removed before the end.
 */
async function putTags(
  transaction: Executor,
  changes: SetChanges,
  { tagIds }: StoredUploadSession,
  videoNumber: number,
): Promise<void> {
  if (tagIds.length === 0) return;
  const tags = [...new Set(await mergedTagRepository.resolveIds(transaction, tagIds))];
  if (tags.length === 0) return;
  await putOnVideo(transaction, changes, videoNumber, tags);
  changes.revisions.add('tags');
}

function toNewVideo(
  { ids, clock, rootNumber }: IntakeDeps,
  { needsApproval }: StoredUploadSession,
  file: UploadFile,
  { reading, partsSum, version }: { reading: FileReading; partsSum: string | null; version: FileVersion },
): NewVideo {
  return {
    id: ids.long(),
    root_number: rootNumber(),
    path: videoPath(file),
    filename: file.filename,
    size: version.size,
    modified_us: version.modifiedUs,
    inode: null,
    fingerprint: reading.fingerprint,
    parts_sum: partsSum,
    ...toReadFacts(reading, { filename: file.filename, modifiedUs: null }),
    hidden_at: needsApproval ? clock.now() : null,
    hidden_by: null,
    created_at: clock.now(),
  };
}

/** Runs work with the same key one after the other. */
export class KeyedTurns {
  private readonly last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const turn = before.then(work);
    const ended = turn.catch(() => {});
    this.last.set(key, ended);
    try {
      return await turn;
    } finally {
      if (this.last.get(key) === ended) this.last.delete(key);
    }
  }
}
