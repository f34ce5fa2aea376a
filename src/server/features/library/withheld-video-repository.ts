import { sql } from 'kysely';
import { countAll } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { isEncoded } from '../../id-sets/source-repository.ts';
import type { LibraryVideo } from '../videos/video.ts';
import { toVideo } from '../videos/video.ts';
import { availableWhenShown } from './availability-repository.ts';

/** A hidden video as administrators see it. */
export interface HiddenVideoRow {
  video: LibraryVideo;
  root: string;
  /** Epoch milliseconds. */
  hiddenAt: number;
  /** Null when the account is gone. */
  hiddenBy: string | null;
}

/** Videos that are hidden or that nothing can play. */
export const withheldVideoRepository = {
  /** Hides a video. Returns null when it is unknown or already hidden. */
  async markHidden(
    executor: Executor,
    changes: SetChanges,
    id: string,
    { at, by }: { at: number; by: string },
  ): Promise<LibraryVideo | null> {
    const row = await executor
      .updateTable('videos')
      .set({ hidden_at: at, hidden_by: by, available: 0 })
      .where('id', '=', id)
      .where('hidden_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : recordVisibility(changes, toVideo(row));
  },

  /** Shows a video again. Returns null when it is unknown or not hidden. */
  async markShown(executor: Executor, changes: SetChanges, id: string): Promise<LibraryVideo | null> {
    const row = await executor
      .updateTable('videos')
      .set({ hidden_at: null, hidden_by: null, available: availableWhenShown })
      .where('id', '=', id)
      .where('hidden_at', 'is not', null)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : recordVisibility(changes, toVideo(row));
  },

  /** Lists hidden videos, latest first. */
  async listHidden(
    executor: Executor,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<HiddenVideoRow[]> {
    const rows = await executor
      .selectFrom('videos')
      .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
      .leftJoin('users', 'users.id', 'videos.hidden_by')
      .selectAll('videos')
      .select(['library_roots.name as root', 'users.username', 'users.display_name'])
      .where('videos.hidden_at', 'is not', null)
      .orderBy('videos.hidden_at', 'desc')
      .orderBy('videos.number', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => ({
      video: toVideo(row),
      root: row.root,
      hiddenAt: row.hidden_at ?? 0,
      hiddenBy: row.display_name ?? row.username,
    }));
  },

  async countHidden(executor: Executor): Promise<number> {
    const { count } = await executor
      .selectFrom('videos')
      .select(countAll().as('count'))
      .where('hidden_at', 'is not', null)
      .executeTakeFirstOrThrow();
    return count;
  },

  /** Returns the numbers of the videos with these ids that are neither hidden nor removed. */
  async findShown(executor: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await executor
      .selectFrom('videos')
      .select(['id', 'number'])
      .where('id', 'in', ids)
      .where('hidden_at', 'is', null)
      .execute();
    return new Map(rows.map(({ id, number }) => [id, number]));
  },

  /** Lists unplayable videos, sorted by root and path. */
  async listUnplayable(
    executor: Executor,
    search: string,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<UnplayableVideoRow[]> {
    return selectUnplayable(executor, search)
      .leftJoin('media_findings as found', (join) =>
        join
          .onRef('found.video_number', '=', 'videos.number')
          .onRef('found.size', '=', 'videos.size')
          .onRef('found.modified_us', '=', 'videos.modified_us'),
      )
      .select([
        'videos.id',
        'library_roots.name as root',
        'videos.path',
        'videos.size',
        'videos.reason',
        'found.failure',
      ])
      .orderBy('videos.root_number')
      .orderBy('videos.path')
      .limit(limit)
      .offset(offset)
      .execute();
  },

  /**
   * Counts unplayable videos in a partial index of them.
   * @param search part of a path; '' for all
   */
  async countUnplayable(executor: Executor, search: string): Promise<number> {
    const { count } = await selectUnplayable(executor, search).select(countAll().as('count')).executeTakeFirstOrThrow();
    return count;
  },
};

function recordVisibility(changes: SetChanges, video: LibraryVideo): LibraryVideo {
  changes.put('available', [video.number], video.isAvailable);
  return video;
}

/** A present file that no device plays, neither directly nor by an encoding. */
interface UnplayableVideoRow {
  id: string;
  root: string;
  path: string;
  size: number;
  /** A key of `media/unplayable.ts`. */
  reason: string | null;
  /** Why it cannot be encoded, in words; null when it can, as far as is known. */
  failure: string | null;
}

function selectUnplayable(executor: Executor, search: string) {
  const query = executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .where('videos.reason', 'is not', null)
    .where(sql<boolean>`not ${isEncoded}`)
    .where('videos.missing_since', 'is', null)
    .where('library_roots.active', '=', 1);
  if (search === '') return query;
  // Both databases only lower ASCII letters in a path.
  const lower = search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const pattern = `%${lower.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return query.where(sql<boolean>`lower(videos.path) like ${pattern} escape '\\'`);
}
