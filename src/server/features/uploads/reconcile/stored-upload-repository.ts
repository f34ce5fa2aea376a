import { sql } from 'kysely';
import type { NeedBits } from '#contract/rules/media/needs.ts';
import type { Executor } from '../../../database/tables.ts';
import { isPlayable } from '../../library/availability-repository.ts';

/** What the database says of a file in the root of uploads. */
export interface StoredUpload {
  number: number;
  /** Below the root. */
  path: string;
  size: number;
  /** Epoch microseconds. */
  modifiedUs: number;
  fingerprint: string | null;
  needs: NeedBits;
  headerVersion: number;
  isMissing: boolean;
  isAvailable: boolean;
  /** Playable, and not hidden. */
  canBeAvailable: boolean;
}

/** One page of a root's videos, by number. */
export async function listStoredUploads(
  executor: Executor,
  rootNumber: number,
  afterNumber: number,
  limit: number,
): Promise<StoredUpload[]> {
  const rows = await executor
    .selectFrom('videos')
    .select(['number', 'path', 'size', 'modified_us', 'fingerprint', 'needs', 'header_version'])
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
    size: row.size,
    modifiedUs: row.modified_us,
    fingerprint: row.fingerprint,
    needs: row.needs,
    headerVersion: row.header_version,
    isMissing: row.missing_since !== null,
    isAvailable: row.available === 1,
    canBeAvailable: row.playable === 1 && row.hidden_at === null,
  }));
}

/** Its file has another time stamp, as copies have, and the same bytes. */
export async function setModified(transaction: Executor, number: number, modifiedUs: number): Promise<void> {
  await transaction.updateTable('videos').set({ modified_us: modifiedUs }).where('number', '=', number).execute();
}

/** What is known of some files, by their ids. */
interface KnownFiles {
  /** About to become videos, or removed ones that can be brought back. */
  wanted: ReadonlySet<string>;
  /** Those of which there is an entry at all. */
  known: ReadonlySet<string>;
}

/** At most `inListLength` of them. */
export async function findKnownFiles(executor: Executor, ids: readonly string[]): Promise<KnownFiles> {
  if (ids.length === 0) return { wanted: new Set(), known: new Set() };
  const entries = await executor.selectFrom('upload_files').select(['id', 'state']).where('id', 'in', ids).execute();
  const removed = await executor.selectFrom('removed_uploads').select('id').where('id', 'in', ids).execute();
  const receiving = entries.filter(({ state }) => state === 'receiving');
  return {
    wanted: new Set([...receiving, ...removed].map(({ id }) => id)),
    known: new Set(entries.map(({ id }) => id)),
  };
}
