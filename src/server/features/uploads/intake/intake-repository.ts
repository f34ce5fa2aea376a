import { sql } from 'kysely';
import type { Executor } from '../../../database/tables.ts';
import { isEncoded } from '../../../id-sets/source-repository.ts';
import type { UploadFile } from '../upload-file.ts';

/** A video that may hold the same bytes. */
export interface Candidate {
  number: number;
  folder: string;
  path: string;
}

const maxCandidates = 10;
/** Whoever makes more files that look the same has them stored each: comparing all of them would take for ever. */
const maxCompared = 30;

/**
 * Videos whose file is there and looks the same by size and samples; not those of the demo, which leaves.
 * @param compared numbers of some that turned out to be others
 */
export async function findCandidates(
  executor: Executor,
  { fingerprint, size }: { fingerprint: string; size: number },
  compared: readonly number[],
): Promise<Candidate[]> {
  if (compared.length >= maxCompared) return [];
  const candidates = executor
    .selectFrom('videos')
    .innerJoin('library_roots as root', 'root.number', 'videos.root_number')
    .select(['videos.number', 'root.folder', 'videos.path'])
    .where('videos.fingerprint', '=', fingerprint)
    .where('videos.size', '=', size)
    .where('videos.missing_since', 'is', null)
    .where('root.active', '=', 1)
    .where('root.missing_since', 'is', null)
    .where('root.kind', '<>', 'demo')
    .orderBy('videos.number')
    .limit(maxCandidates);
  return (compared.length === 0 ? candidates : candidates.where('videos.number', 'not in', compared)).execute();
}

/** Paths below the root of uploads of hidden videos that were removed, and look the same by size and samples. */
export async function findHiddenPaths(executor: Executor, fingerprint: string, size: number): Promise<string[]> {
  const rows = await executor
    .selectFrom('removed_uploads')
    .select('video')
    .where('hidden_fingerprint', '=', fingerprint)
    .where('size', '=', size)
    .orderBy('id', 'desc')
    .limit(maxCandidates)
    .execute();
  return rows.map(({ video }) => (JSON.parse(video) as { path: string }).path);
}

/** @returns false when it had ended meanwhile */
export async function completeFile(
  transaction: Executor,
  { id, size }: UploadFile,
  { videoNumber, storedBytes, now }: { videoNumber: number; storedBytes: number; now: number },
): Promise<boolean> {
  const row = await transaction
    .updateTable('upload_files')
    .set({
      state: 'completed',
      video_number: videoNumber,
      stored_bytes: storedBytes,
      received: size,
      speed: 0,
      completed_at: now,
    })
    .where('id', '=', id)
    .where('state', '=', 'receiving')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export interface SessionVideo {
  id: string;
  /** Why nothing plays it, not even an encoding: a key of `media/unplayable.ts`; null when something does. */
  reason: string | null;
  isHidden: boolean;
}

/** The videos that came of a session's files, by their numbers. */
export async function findVideosOfSession(executor: Executor, sessionId: string): Promise<Map<number, SessionVideo>> {
  const rows = await executor
    .selectFrom('upload_files')
    .innerJoin('videos', 'videos.number', 'upload_files.video_number')
    .select(['videos.number', 'videos.id', 'videos.reason', 'videos.hidden_at'])
    .select(sql<number>`case when ${isEncoded} then 1 else 0 end`.as('encoded'))
    .where('upload_files.session_id', '=', sessionId)
    .execute();
  return new Map(
    rows.map(({ number, id, reason, hidden_at, encoded }) => [
      number,
      { id, reason: encoded === 1 ? null : reason, isHidden: hidden_at !== null },
    ]),
  );
}
