import { countAll } from '../../database/dialect.ts';
import type { Flag } from '../../database/tables/column-types.ts';
import type { Executor } from '../../database/tables.ts';
import { isPlayable } from './availability-repository.ts';

/** A folder whose videos are served. */
export interface ServedRoot {
  number: number;
  /** The prefix of paths when there are several roots; it never changes. */
  name: string;
  /** An absolute path; the place of a store as people read it. */
  folder: string;
  /** `uploads` holds uploaded videos; the server manages its files itself, and never scans it. */
  kind: 'folder' | 'store' | 'demo' | 'uploads';
}

/** A root as the configuration defines it. */
export type WantedRoot = Omit<ServedRoot, 'number'>;

export interface KnownRoot extends ServedRoot {
  isActive: boolean;
  missingSince: number | null;
  scannedAt: number | null;
}

/** Roots of the library. */
export const rootRepository = {
  async list(executor: Executor): Promise<KnownRoot[]> {
    const rows = await executor.selectFrom('library_roots').selectAll().orderBy('number').execute();
    return rows.map(({ number, name, folder, kind, active, missing_since, scanned_at }) => ({
      number,
      name,
      folder,
      kind,
      isActive: active === 1,
      missingSince: missing_since,
      scannedAt: scanned_at,
    }));
  },

  /** Adds a root, unless another node has just added it. */
  async add(executor: Executor, root: WantedRoot, now: number): Promise<void> {
    await executor
      .insertInto('library_roots')
      .values({ ...root, active: 1, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },

  async setActive(executor: Executor, number: number, active: Flag): Promise<void> {
    await executor.updateTable('library_roots').set({ active }).where('number', '=', number).execute();
  },

  async setMissing(executor: Executor, number: number, missingSince: number | null): Promise<void> {
    await executor
      .updateTable('library_roots')
      .set({ missing_since: missingSince })
      .where('number', '=', number)
      .execute();
  },

  async setScanned(executor: Executor, number: number, scannedAt: number): Promise<void> {
    await executor.updateTable('library_roots').set({ scanned_at: scannedAt }).where('number', '=', number).execute();
  },

  /** Whether a playable video exists outside of the demo, even a hidden one. */
  async hasOwnVideos(executor: Executor): Promise<boolean> {
    const row = await executor
      .selectFrom('videos')
      .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
      .select('videos.number')
      .where('library_roots.kind', '!=', 'demo')
      .where('library_roots.active', '=', 1)
      .where('library_roots.missing_since', 'is', null)
      .where(isPlayable)
      .where('videos.missing_since', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** How many videos a root had when it was last scanned, and how many of them browsers play as they are. */
  async countPresent(executor: Executor, number: number): Promise<{ found: number; playable: number }> {
    const of = executor.selectFrom('videos').where('root_number', '=', number).where('missing_since', 'is', null);
    const all = await of.select(countAll().as('count')).executeTakeFirstOrThrow();
    const playable = of.where('reason', 'is', null).select(countAll().as('count'));
    return { found: all.count, playable: (await playable.executeTakeFirstOrThrow()).count };
  },

  /** Whether a root had videos when it was last scanned. */
  async hasPresentVideos(executor: Executor, number: number): Promise<boolean> {
    const row = await executor
      .selectFrom('videos')
      .select('number')
      .where('root_number', '=', number)
      .where('missing_since', 'is', null)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },
};
