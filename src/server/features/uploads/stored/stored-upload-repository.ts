import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { NeedBits } from '#contract/rules/media-needs.ts';
import type { Executor, Tables } from '../../../database/tables.ts';
import { isEncoded } from '../../../id-sets/source-repository.ts';
import { isPlayable } from '../../library/availability-repository.ts';
import type { UploadFile } from '../upload-file.ts';
import type { StoredBytes, StoredFileRow } from '../upload-storage.ts';

/** A video that may hold the same bytes. */
interface Candidate extends StoredBytes {
  number: number;
}

const maxCandidates = 10;

/**
 * The most videos that a file is compared with; further look-alikes are stored each, because
 * comparing all would take too long.
 */
const maxCompared = 30;

export interface SessionVideo {
  id: string;
  /**
   * Why no device plays it, not even by an encoding: a key of `media/unplayable.ts`; null when one
   * does.
   */
  reason: string | null;
  isHidden: boolean;
}

/** The row of a file in the root of uploads. */
export interface StoredUpload extends StoredFileRow {
  number: number;
  filename: string;
  needs: NeedBits;
  headerVersion: number;
  isMissing: boolean;
  isAvailable: boolean;
  /** The video is playable and not hidden. */
  canBeAvailable: boolean;
}

/** A row of `videos` that is restored under another number. */
export type StoredVideo = Omit<Selectable<Tables['videos']>, 'number'>;

/** Uploads that have become videos. */
export const storedUploadRepository = {
  /**
   * Videos whose file exists and has the same size and samples, except those of the demo, which may
   * be removed.
   * @param compared numbers of videos that turned out to differ
   */
  async findCandidates(
    executor: Executor,
    { fingerprint, size }: { fingerprint: string; size: number },
    compared: readonly number[],
  ): Promise<Candidate[]> {
    if (compared.length >= maxCompared) return [];
    const candidates = executor
      .selectFrom('videos')
      .innerJoin('library_roots as root', 'root.number', 'videos.root_number')
      .select(['videos.number', 'root.kind', 'root.folder', 'videos.path', 'videos.parts_sum as partsSum'])
      .where('videos.fingerprint', '=', fingerprint)
      .where('videos.size', '=', size)
      .where('videos.missing_since', 'is', null)
      .where('root.active', '=', 1)
      .where('root.missing_since', 'is', null)
      .where('root.kind', '<>', 'demo')
      .orderBy('videos.number')
      .limit(maxCandidates);
    const rows = await (compared.length === 0
      ? candidates
      : candidates.where('videos.number', 'not in', compared)
    ).execute();
    return rows.map(({ kind, folder, ...row }) => ({ ...row, folder: kind === 'uploads' ? null : folder }));
  },

  /** Removed hidden videos with the same size and samples, whose files still exist. */
  async findHidden(executor: Executor, fingerprint: string, size: number): Promise<StoredBytes[]> {
    const rows = await executor
      .selectFrom('removed_uploads')
      .select('video')
      .where('hidden_fingerprint', '=', fingerprint)
      .where('size', '=', size)
      .orderBy('id', 'desc')
      .limit(maxCandidates)
      .execute();
    return rows.map(({ video }) => {
      const { path, parts_sum: partsSum = null } = JSON.parse(video) as Partial<StoredVideo> & { path: string };
      return { folder: null, path, partsSum };
    });
  },

  /** @returns false when the file had ended */
  async completeFile(
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
  },

  /** The videos made of a session's files, by number. */
  async findVideosOfSession(executor: Executor, sessionId: string): Promise<Map<number, SessionVideo>> {
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
  },

  /** Lists one page of a root's videos, by number. */
  async list(executor: Executor, rootNumber: number, afterNumber: number, limit: number): Promise<StoredUpload[]> {
    const rows = await executor
      .selectFrom('videos')
      .select(['number', 'path', 'filename', 'size', 'modified_us', 'fingerprint', 'needs', 'header_version'])
      .select([
        'missing_since',
        'available',
        'hidden_at',
        sql<number>`case when ${isPlayable} then 1 else 0 end`.as('playable'),
      ])
      .where('root_number', '=', rootNumber)
      .where('number', '>', afterNumber)
      .orderBy('number')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      number: row.number,
      path: row.path,
      filename: row.filename,
      size: row.size,
      modifiedUs: row.modified_us,
      fingerprint: row.fingerprint,
      needs: row.needs,
      headerVersion: row.header_version,
      isMissing: row.missing_since !== null,
      isAvailable: row.available === 1,
      canBeAvailable: row.playable === 1 && row.hidden_at === null,
    }));
  },

  /** Updates the modification time of a file that has the same bytes, such as a copy. */
  async setModified(transaction: Executor, number: number, modifiedUs: number): Promise<void> {
    await transaction.updateTable('videos').set({ modified_us: modifiedUs }).where('number', '=', number).execute();
  },

  /** Takes at most `inListLength` ids. */
  async findKnownFiles(executor: Executor, ids: readonly string[]): Promise<KnownFiles> {
    if (ids.length === 0) return { wanted: new Set(), known: new Set() };
    const entries = await executor.selectFrom('upload_files').select(['id', 'state']).where('id', 'in', ids).execute();
    const removed = await executor.selectFrom('removed_uploads').select('id').where('id', 'in', ids).execute();
    const receiving = entries.filter(({ state }) => state === 'receiving');
    return {
      wanted: new Set([...receiving, ...removed].map(({ id }) => id)),
      known: new Set(entries.map(({ id }) => id)),
    };
  },

  /** @throws when the video does not exist */
  async readVideo(executor: Executor, number: number): Promise<StoredVideo> {
    const { number: _, ...video } = await executor
      .selectFrom('videos')
      .selectAll()
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    return video;
  },

  /** Lists active and inactive tags. */
  async listTagsOfVideo(executor: Executor, number: number): Promise<{ number: number; id: string }[]> {
    return executor
      .selectFrom('video_tags')
      .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
      .select(['tags.number', 'tags.id'])
      .where('video_tags.video_number', '=', number)
      .orderBy('tags.number')
      .execute();
  },

  async readPosterContent(executor: Executor, number: number): Promise<string | null> {
    const row = await executor
      .selectFrom('posters')
      .select('content')
      .where('video_number', '=', number)
      .executeTakeFirst();
    return row?.content ?? null;
  },

  /**
   * Deletes a video with its links, its poster's row and its jobs; entries of histories lead
   * nowhere afterwards.
   */
  async deleteVideo(transaction: Executor, number: number): Promise<void> {
    await transaction.deleteFrom('videos').where('number', '=', number).execute();
  },
};

/** The file ids that the database knows. */
interface KnownFiles {
  /** Uploads in progress, and removed uploads that can be restored. */
  wanted: ReadonlySet<string>;
  /** Files that have an entry. */
  known: ReadonlySet<string>;
}
