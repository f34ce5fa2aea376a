import type { Executor } from '../../../database/tables.ts';
import { NotFound } from '../../../http/pipeline/errors.ts';
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
): Promise<UploadSession> {
  const session = await findSession(executor, id);
  const isOwner = userId !== null && session?.userId === userId;
  if (session === null || !(isOwner || (key !== null && isKeyOf(session, key)))) throw new NotFound('upload');
  return session;
}
