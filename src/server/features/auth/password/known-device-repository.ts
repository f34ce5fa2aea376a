import { createHash } from 'node:crypto';
import type { Executor } from '../../../database/tables.ts';

/** Whether this person has signed in from this browser before. */
export async function isKnownDevice(executor: Executor, userId: string, viewer: string): Promise<boolean> {
  const row = await executor
    .selectFrom('known_devices')
    .select('used_at')
    .where('user_id', '=', userId)
    .where('viewer_hash', '=', hashOf(viewer))
    .executeTakeFirst();
  return row !== undefined;
}

export async function rememberDevice(executor: Executor, userId: string, viewer: string, now: number): Promise<void> {
  await executor
    .insertInto('known_devices')
    .values({ user_id: userId, viewer_hash: hashOf(viewer), used_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'viewer_hash']).doUpdateSet({ used_at: now }))
    .execute();
}

export async function deleteDevicesUnusedSince(executor: Executor, instant: number): Promise<void> {
  await executor.deleteFrom('known_devices').where('used_at', '<', instant).execute();
}

/** Whoever reads the database does not learn a browser's name. */
function hashOf(viewer: string): string {
  return createHash('sha256').update(viewer).digest('base64url');
}
