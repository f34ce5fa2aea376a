import { createHash, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import type { UploadSession as SessionReply, UploadKey, uploadStartSchema } from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import { rankOfViewer } from '#contract/rules/tag.ts';
import { cleanName } from '#contract/rules/text.ts';
import { isEulaAccepted } from '#contract/rules/upload-file.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { Env } from '../../env.ts';
import { NotFound, RateLimited, Refusal } from '../../http/pipeline/errors.ts';
import type { SignedIn } from '../../http/pipeline/guards.ts';
import type { Ids } from '../../ids.ts';
import { TokenBuckets } from '../../limits/token-buckets.ts';
import { requireTags } from '../tags/write-tags.ts';
import type { DiskReserve } from './receiving/upload-room.ts';
import type { NewUploadFile } from './session-repository.ts';
import { uploadSessionRepository } from './session-repository.ts';
import type { StoredUploadSession, UploadFile } from './upload-file.ts';
import { expiryOf, idleHours, uploadAddressPrefix } from './upload-file.ts';

export interface StartDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  env: Pick<Env, 'uploads' | 'uploadQuotaBytes' | 'tagEditing' | 'agreementVersion'>;
  reserve: DiskReserve;
}

/**
 * Opens a session with an address for each file and one key for all of them. The answer repeats the
 * names as they were sent; they are stored without invisible characters.
 * @throws Refusal 403 for a person who may not upload, has not accepted the agreement or has no
 * quota left, 404 for an unknown tag, 429 with too many open sessions, 507
 */
export async function startUploadSession(
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
  const newFiles: NewUploadFile[] = files.map(({ filename, file_size: size, mime_type }, position) => {
    return { id: ids.long(), position, address: ids.secret(), filename, mime_type, size };
  });
  await database.write(async (transaction) => {
    await requireMayStart(transaction, deps, { userId: user.userId, bytes, now });
    await requireUploadTags(transaction, env, { ...user, rank: rankOfViewer(user.tier) }, tagIds);
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
    await uploadSessionRepository.insert(
      transaction,
      session,
      newFiles.map((file) => ({ ...file, filename: cleanName(file.filename) })),
    );
    await uploadSessionRepository.forgetFailed(transaction, user.userId);
  });
  return toReply(id, key, newFiles);
}

/**
 * For this time, bytes without an owner count in the quota of every account that was created after
 * them: a person gains no quota by deleting the account and creating another one.
 */
const ownerlessMs = limits.ownerlessUploadDays * 86_400_000;

async function requireMayStart(
  transaction: Executor,
  { env }: StartDeps,
  { userId, bytes, now }: { userId: string; bytes: number; now: number },
): Promise<void> {
  const user = await uploadSessionRepository.holdUser(transaction, userId);
  if (user === null || !isEulaAccepted(user.eulaVersion, env.agreementVersion)) throw new Refusal('eula_required');
  if (
    (await uploadSessionRepository.countOpen(transaction, userId, now - idleHours * 3_600_000)) >=
    limits.uploadOpenSessions
  )
    throw new Refusal('rate_limited', {
      message: `At most ${limits.uploadOpenSessions} uploads can be open at once. Finish or cancel some first.`,
      headers: { 'retry-after': '60' },
    });
  const quota = env.uploadQuotaBytes;
  if (quota === undefined) return;
  const own = await uploadSessionRepository.sumReservedBytes(transaction, userId);
  const ownerless = await uploadSessionRepository.sumOwnerlessBytes(transaction, now - ownerlessMs, user.createdAt);
  if (own + ownerless + bytes > quota) throw new Refusal('quota_exceeded');
}

function toReply(sessionId: string, key: string, files: readonly NewUploadFile[]): SessionReply {
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

/**
 * Issues a new key, which voids the previous one.
 * @throws Refusal 403 for an owner who may not upload any more, 410 for a session that is over
 */
export async function renewKey(
  { database, clock, ids, env }: Pick<StartDeps, 'database' | 'clock' | 'ids' | 'env'>,
  session: StoredUploadSession,
): Promise<UploadKey> {
  refuseWhenOver(session, clock.now());
  requireUploader(env, session.isOwnerAdmin);
  const key = ids.secret();
  const isOpen = await database.write((transaction) =>
    uploadSessionRepository.setKey(transaction, session.id, hashKey(key)),
  );
  if (!isOpen) throw new Refusal('gone');
  return { bunny_access_key: key };
}

/** The claim of a caller to a session: as its owner, or by its key. */
export interface SessionClaim {
  userId: string | null;
  key: string | null;
}

/** @throws NotFound also for a session of another person */
export async function findOwnSession(
  executor: Executor,
  id: string,
  { userId, key }: SessionClaim,
  now: number,
): Promise<StoredUploadSession> {
  const session = await uploadSessionRepository.find(executor, id, now);
  const isOwner = userId !== null && session?.userId === userId;
  if (session === null || !(isOwner || (key !== null && isKeyOf(session, key)))) throw new NotFound('upload');
  return session;
}

/**
 * Checks that the owner of a session may upload now; its key grants no more than that. @throws
 * Refusal 403
 */
export function requireUploader({ uploads }: Pick<Env, 'uploads'>, isAdmin: boolean): void {
  if (uploads === 'admins' && !isAdmin)
    throw new Refusal('forbidden', { message: 'Only administrators can upload here.' });
}

/** Whether an administrator has to approve a person's videos before others see them. */
export function needsApproval({ uploads }: Pick<Env, 'uploads'>, isAdmin: boolean): boolean {
  return uploads === 'approval' && !isAdmin;
}

/** A file whose address and key matched. */
export interface Admitted {
  file: UploadFile;
  session: StoredUploadSession;
}

const guessesPerMinute = 100;
/** Most requests write to the database, and carry no account whose calls are limited. */
const requestsOfPerson = { capacity: limits.personCallBurst, perSecond: limits.personCallsPerSecond };

/** Admits requests to an address by the key of its session. */
export class AddressAccess {
  private readonly database: Pick<Database, 'reader'>;
  private readonly clock: Clock;
  private readonly env: Pick<Env, 'uploads'>;
  private readonly guesses: TokenBuckets;
  private readonly people: TokenBuckets;

  constructor(deps: { database: Pick<Database, 'reader'>; clock: Clock; env: Pick<Env, 'uploads'> }) {
    this.database = deps.database;
    this.clock = deps.clock;
    this.env = deps.env;
    this.guesses = new TokenBuckets({ capacity: guessesPerMinute, perSecond: guessesPerMinute / 60 }, deps.clock);
    this.people = new TokenBuckets(requestsOfPerson, deps.clock);
  }

  /**
   * Admits a request that sends.
   * @throws Refusal as `find` does, and 403 when the owner of the session may not upload any more
   */
  async admit(address: string, key: string, client: string): Promise<Admitted> {
    const admitted = await this.find(address, key, client);
    requireUploader(this.env, admitted.session.isOwnerAdmin);
    return admitted;
  }

  /**
   * Finds a file. An unknown address and a wrong key get the same answer.
   * @throws Refusal 404, 410 for a session that is over, 429 for clients that guess, and for too
   * many requests of one person
   */
  async find(address: string, key: string, client: string): Promise<Admitted> {
    const now = this.clock.now();
    const file = await uploadSessionRepository.findFileByAddress(this.database.reader, address);
    const session =
      file === null ? null : await uploadSessionRepository.find(this.database.reader, file.sessionId, now);
    if (file === null || session === null || !isKeyOf(session, key)) throw this.refuseGuess(client);
    const waitMs = this.people.take(session.userId ?? session.id, 1);
    if (waitMs > 0) throw new RateLimited(waitMs);
    refuseWhenOver(session, now);
    if (file.state === 'failed') throw new Refusal('gone', { message: file.error ?? undefined });
    return { file, session };
  }

  private refuseGuess(client: string): Refusal {
    const waitMs = this.guesses.take(client, 1);
    return waitMs === 0 ? new NotFound('upload') : new RateLimited(waitMs);
  }
}

/** @throws Refusal 410 */
export function refuseWhenOver(session: StoredUploadSession, now: number): void {
  if (session.state === 'completed') throw new Refusal('gone', { message: 'This upload is complete.' });
  if (session.state === 'cancelled') throw new Refusal('gone', { message: 'This upload was cancelled.' });
  if (session.state === 'expired' || session.userId === null || expiryOf(session) <= now)
    throw new Refusal('gone', { message: 'This upload has expired.' });
}

/** Whether a person may add videos to channels. */
export function mayTag({ tagEditing }: Pick<Env, 'tagEditing'>, { isAdmin }: Pick<SignedIn, 'isAdmin'>): boolean {
  return tagEditing !== 'admins' || isAdmin;
}

/**
 * @throws Refusal 403 where only administrators change these tags, 404 unless the person sees all of
 * them
 */
export async function requireUploadTags(
  executor: Executor,
  env: Pick<Env, 'tagEditing'>,
  person: Pick<SignedIn, 'isAdmin'> & { rank: number },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  if (!mayTag(env, person))
    throw new Refusal('forbidden', { message: 'Only administrators can put videos into channels here.' });
  await requireTags(executor, ids, person.rank);
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/**
 * The hash of a session that no key opens: its owner's sessions have ended
 * (`userChangeRepository.deleteSessions`).
 */
const voidKeyHash = '';

function isKeyOf({ keyHash }: Pick<StoredUploadSession, 'keyHash'>, key: string): boolean {
  return keyHash !== voidKeyHash && timingSafeEqual(Buffer.from(hashKey(key)), Buffer.from(keyHash));
}
