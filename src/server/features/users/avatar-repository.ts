import type { Executor } from '../../database/tables.ts';

export interface Avatar {
  /** Names the avatar by its content. */
  content: string;
  webp: Buffer;
}

export async function readAvatar(executor: Executor, userId: string): Promise<Avatar | null> {
  const row = await executor
    .selectFrom('avatars')
    .select(['content', 'webp'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row ?? null;
}

export async function writeAvatar(executor: Executor, userId: string, avatar: Avatar): Promise<void> {
  await executor
    .insertInto('avatars')
    .values({ user_id: userId, ...avatar })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...avatar }))
    .execute();
}

export async function deleteAvatar(executor: Executor, userId: string): Promise<void> {
  await executor.deleteFrom('avatars').where('user_id', '=', userId).execute();
}
