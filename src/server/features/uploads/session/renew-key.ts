import type { UploadKey } from '#contract/entities/upload.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { refuseWhenOver } from '../address/address-access.ts';
import type { UploadSession } from '../upload-file.ts';
import { hashKey } from '../upload-file.ts';
import { requireUploader } from './own-session.ts';
import { setSessionKey } from './session-repository.ts';
import type { StartDeps } from './start-session.ts';

/** A further key; the one before is void. @throws Refusal 403 for who may not upload any more, 410 for a session that is over */
export async function renewKey(
  { database, clock, ids, env }: Pick<StartDeps, 'database' | 'clock' | 'ids' | 'env'>,
  session: UploadSession,
): Promise<UploadKey> {
  refuseWhenOver(session, clock.now());
  requireUploader(env, session.isOwnerAdmin);
  const key = ids.secret();
  const isOpen = await database.write((transaction) => setSessionKey(transaction, session.id, hashKey(key)));
  if (!isOpen) throw new Refusal('gone');
  return { bunny_access_key: key };
}
