import type { z } from 'zod';
import type { UploadSession as SessionReply, uploadStartSchema } from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import { cleanName } from '#contract/rules/text.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { Executor } from '../../../database/tables.ts';
import type { Env } from '../../../env.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import type { Ids } from '../../../ids.ts';
import type { DiskReserve } from '../address/disk-reserve.ts';
import { hashKey, idleHours, uploadAddressPrefix } from '../upload-file.ts';
import { requireTags } from './batch-tags.ts';
import { forgetFailed } from './failed-file-repository.ts';
import { needsApproval, requireUploader } from './own-session.ts';
import type { NewFile } from './session-repository.ts';
import {
  countOpenSessions,
  holdUser,
  insertSession,
  sumOwnerlessBytes,
  sumReservedBytes,
} from './session-repository.ts';

export interface StartDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  env: Pick<Env, 'uploads' | 'uploadQuotaBytes' | 'tagEditing'>;
  reserve: DiskReserve;
}

/**
 * Opens a session: an address for each file, and one key for all of them. Names are answered as they were sent, and
 * stored without what is not seen.
 * @throws Refusal 403 for who may not upload, has not accepted the agreement or has no room left, 404 for a tag that is
 * not there, 429 with too many open sessions, 507
 */
export async function startSession(
  deps: StartDeps,
  user: SignedIn,
  { files, tag_ids: tagIds = [] }: z.output<typeof uploadStartSchema>,
): Promise<SessionReply> {
  const { database, clock, ids, env, reserve } = deps;
  requireUploader(env, user.isAdmin);
  const bytes = files.reduce((sum, file) => sum + file.file_size, 0);
  await reserve.require(bytes);
  const key = ids.secret();
  const [now, id] = [clock.now(), ids.long()];
  const newFiles: NewFile[] = files.map(({ filename, file_size: size, mime_type }, position) => {
    return { id: ids.long(), position, address: ids.secret(), filename, mime_type, size };
  });
  await database.write(async (transaction) => {
    await requireMayStart(transaction, deps, { userId: user.userId, bytes, now });
    await requireTags(transaction, env, user, tagIds);
    const session = {
      id,
      user_id: user.userId,
      key_hash: hashKey(key),
      state: 'open',
      tag_ids: JSON.stringify(tagIds),
      needs_approval: needsApproval(env, user.isAdmin) ? 1 : 0,
      created_at: now,
      active_at: now,
    } as const;
    await insertSession(
      transaction,
      session,
      newFiles.map((file) => ({ ...file, filename: cleanName(file.filename) })),
    );
    await forgetFailed(transaction, user.userId);
  });
  return toReply(id, key, newFiles);
}

/**
 * Bytes of nobody count in the quota of everybody whose account is younger than they are, for so long: deleting an
 * account and making another one gives no further quota.
 */
const ownerlessMs = limits.ownerlessUploadDays * 86_400_000;

async function requireMayStart(
  transaction: Executor,
  { env }: StartDeps,
  { userId, bytes, now }: { userId: string; bytes: number; now: number },
): Promise<void> {
  const user = await holdUser(transaction, userId);
  if (user?.eulaVersion !== limits.eulaVersion) throw new Refusal('eula_required');
  if ((await countOpenSessions(transaction, userId, now - idleHours * 3_600_000)) >= limits.uploadOpenSessions)
    throw new Refusal('rate_limited', {
      message: `At most ${limits.uploadOpenSessions} uploads can be open at once. Finish or cancel some first.`,
      headers: { 'retry-after': '60' },
    });
  const quota = env.uploadQuotaBytes;
  if (quota === undefined) return;
  const own = await sumReservedBytes(transaction, userId);
  const ownerless = await sumOwnerlessBytes(transaction, now - ownerlessMs, user.createdAt);
  if (own + ownerless + bytes > quota) throw new Refusal('quota_exceeded');
}

function toReply(sessionId: string, key: string, files: readonly NewFile[]): SessionReply {
  const destinations = files.map(({ id, filename, address }) => {
    return { id, filename, address: `${uploadAddressPrefix}${address}`, protocol: 'tus' as const };
  });
  return {
    session_id: sessionId,
    upload_urls: Object.fromEntries(destinations.map(({ filename, address }) => [filename, address])),
    bunny_access_key: key,
    files: destinations,
  };
}
