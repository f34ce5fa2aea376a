import { z } from 'zod';
import type { BackupState } from '#contract/entities/site/about.ts';
import { backupFailureSchema, storedBackupSchema } from '#contract/entities/site/about.ts';
import type { Executor } from '../../database/tables.ts';
import type { Env } from '../../env.ts';
import { nextQuietHour } from './quiet-hour.ts';

const recordSchema = z.object({ latest: storedBackupSchema.nullable(), failure: backupFailureSchema.nullable() });
/** How the nightly backups went: the last good one, and the last attempt when it failed. */
export type BackupRecord = z.infer<typeof recordSchema>;

/** Of the row in `settings`; no backup holds it. */
export const backupRecordName = 'nightly_backup';

/** What administrators see of the nightly backup. @param now epoch milliseconds */
export async function readBackupState(
  executor: Executor,
  { backupFolder, libraryFolders }: Pick<Env, 'backupFolder' | 'libraryFolders'>,
  now: number,
): Promise<BackupState> {
  const record = await readBackupRecord(executor);
  return {
    folder: backupFolder ?? null,
    next_at: backupFolder === undefined ? null : new Date(nextQuietHour(now)).toISOString(),
    ...record,
    left_out: [...libraryFolders],
  };
}

export async function readBackupRecord(executor: Executor): Promise<BackupRecord> {
  const row = await executor
    .selectFrom('settings')
    .select('value')
    .where('name', '=', backupRecordName)
    .executeTakeFirst();
  return row === undefined ? { latest: null, failure: null } : recordSchema.parse(JSON.parse(row.value));
}

export async function writeBackupRecord(executor: Executor, record: BackupRecord, now: number): Promise<void> {
  const facts = { value: JSON.stringify(record), updated_at: now };
  await executor
    .insertInto('settings')
    .values({ name: backupRecordName, ...facts })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
    .execute();
}
