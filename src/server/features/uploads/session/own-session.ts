import type { Executor } from '../../../database/tables.ts';
import type { Env } from '../../../env.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { UploadSession } from '../upload-file.ts';
import { isKeyOf } from '../upload-file.ts';
import { findSession } from './session-repository.ts';

/** Who asks about a session: its owner, or whoever has its key. */
export interface SessionClaim {
  userId: string | null;
  key: string | null;
}

/** @throws NotFound also for what is somebody else's */
export async function findOwnSession(
  executor: Executor,
  id: string,
  { userId, key }: SessionClaim,
  now: number,
): Promise<UploadSession> {
  const session = await findSession(executor, id, now);
  const isOwner = userId !== null && session?.userId === userId;
  if (session === null || !(isOwner || (key !== null && isKeyOf(session, key)))) throw new NotFound('upload');
  return session;
}

/** A session's key is worth as much as its owner's right is at that moment. @throws Refusal 403 for who may not upload */
export function requireUploader({ uploads }: Pick<Env, 'uploads'>, isAdmin: boolean): void {
  if (uploads === 'admins' && !isAdmin)
    throw new Refusal('forbidden', { message: 'Only administrators can upload here.' });
}

/** Whether an administrator looks at a person's videos before others see them. */
export function needsApproval({ uploads }: Pick<Env, 'uploads'>, isAdmin: boolean): boolean {
  return uploads === 'approval' && !isAdmin;
}
