import { nameKey } from '#contract/rules/text.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { auditRefusals } from '../../http/protection/audit.ts';
import type { Attempt, Policy } from '../../limits/rate-limits.ts';
import { readAccount } from '../users/profile.ts';
import { userChangeRepository } from '../users/user-change-repository.ts';
import { userRepository } from '../users/user-repository.ts';
import type { AuthDeps, Visitor } from './auth-deps.ts';
import { sessionRepository } from './sessions/session-repository.ts';
import type { SignedInAnew } from './sessions/sessions.ts';
import { authSessions } from './sessions/sessions.ts';

interface SignInInput {
  identifier: string;
  password: string;
  isRemembered: boolean;
}

/**
 * Signs in by password. Neither the message nor the duration of a refusal reveals whether the
 * account exists.
 * @throws Refusal 401 `invalid_credentials`, 429, 503 when too many sign in at once
 */
export async function signInByPassword(deps: AuthDeps, visitor: Visitor, input: SignInInput): Promise<SignedInAnew> {
  const found = await userRepository.findForSignIn(deps.database.reader, input.identifier);
  // The audit trail names the user by id, because the typed identifier may be a password.
  const facts = { user: found?.id ?? null };
  return auditRefusals(deps.audit, 'sign_in_refused', visitor.source, facts, () =>
    checkAndStartSession(deps, visitor, input, found),
  );
}

type Found = Awaited<ReturnType<typeof userRepository.findForSignIn>>;

async function checkAndStartSession(
  deps: AuthDeps,
  visitor: Visitor,
  input: SignInInput,
  found: Found,
): Promise<SignedInAnew> {
  const personal = await personalAttempt(deps, visitor, input.identifier, found?.id ?? null);
  await deps.rateLimits.consume(addressAttempt('sign-in', visitor, signInsPerAddress), personal);
  await verify(deps, input, found);
  await deps.rateLimits.reset(personal);
  try {
    return await startVerified(deps, visitor, input, found);
  } catch (error) {
    if (!(error instanceof HashChanged)) throw error;
  }
  // Another sign-in has improved the hash, or the password is another one now.
  const again = await userRepository.findForSignIn(deps.database.reader, input.identifier);
  await verify(deps, input, again);
  return startVerified(deps, visitor, input, again);
}

/** The stored hash is not the one any more that a password was verified with. */
class HashChanged extends Refusal {
  constructor() {
    super('invalid_credentials');
  }
}

async function verify(deps: AuthDeps, input: SignInInput, found: Found): Promise<void> {
  const isRight = await deps.hasher.verify(input.password, found?.passwordHash ?? null);
  if (!isRight) throw new Refusal('invalid_credentials');
}

async function startVerified(
  deps: AuthDeps,
  visitor: Visitor,
  { password, isRemembered }: SignInInput,
  found: Found,
): Promise<SignedInAnew> {
  if (found === null) throw new Refusal('invalid_credentials');
  const { id, passwordHash } = found;
  const newHash = await improveHash(deps, password, passwordHash);
  const recheck = async (transaction: Executor) => {
    if (!(await isPasswordHash(transaction, id, passwordHash))) throw new HashChanged();
  };
  return startUserSession(deps, visitor, id, { isRemembered, newHash, recheck });
}

/**
 * Whether the password is still the one that was verified: it may have been changed in between.
 * Locks the user's row, so that it stays so until the transaction ends.
 */
export async function isPasswordHash(transaction: Executor, userId: string, hash: string | null) {
  await userChangeRepository.hold(transaction, userId);
  return (await userRepository.readPasswordHash(transaction, userId)) === hash;
}

async function personalAttempt({ database }: AuthDeps, { viewer }: Visitor, identifier: string, userId: string | null) {
  // The query also runs without an account, so that it takes the same time.
  const isKnown =
    viewer !== undefined && (await sessionRepository.isKnownDevice(database.reader, userId ?? '', viewer));
  return isKnown && userId !== null ? deviceAttempt(userId, viewer) : accountAttempt(userId, identifier);
}

/** Makes a new hash from the password if the stored one uses outdated parameters. */
async function improveHash({ hasher }: AuthDeps, password: string, hash: string | null): Promise<string | undefined> {
  return hash !== null && hasher.isOutdated(hash) ? hasher.hash(password) : undefined;
}

interface SessionStart {
  isRemembered: boolean;
  newHash?: string | undefined;
  /** Throws if the proof of the identity does not hold any more. */
  recheck?: (transaction: Executor) => Promise<void>;
}

/** Starts a session for a user who has proven their identity. */
export async function startUserSession(
  deps: AuthDeps,
  { device, viewer, source }: Pick<Visitor, 'device' | 'viewer' | 'source'>,
  userId: string,
  { isRemembered, newHash, recheck }: SessionStart,
): Promise<SignedInAnew> {
  const signedIn = await deps.database.write(async (transaction) => {
    await recheck?.(transaction);
    const account = await readAccount(transaction, userId);
    if (newHash !== undefined) await userChangeRepository.update(transaction, userId, { passwordHash: newHash });
    if (viewer !== undefined) await sessionRepository.rememberDevice(transaction, userId, viewer, deps.clock.now());
    return { account, session: await authSessions.start(transaction, deps, { userId, device, isRemembered }) };
  });
  deps.audit.write('signed_in', source, { user: userId, session: signedIn.session.id });
  return signedIn;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * The machine's own address stands for all clients of an unconfigured proxy, so it gets more
 * attempts.
 */
const localFactor = 20;

/** Limits the attempts from one address. */
export function addressAttempt(
  name: string,
  { address, isLocal }: Pick<Visitor, 'address' | 'isLocal'>,
  most: number,
  windowMs = 10 * minuteMs,
): Attempt {
  return { name, holder: address, policy: { kind: 'window', most: isLocal ? most * localFactor : most, windowMs } };
}

const guessingPolicy: Policy = { kind: 'back-off', free: 5, longestMs: 15 * minuteMs, forgottenAfterMs: 24 * hourMs };

/**
 * Limits the attempts for one account from all addresses together, whether it is named by username
 * or email address. Without an account the typed identifier is counted in the same way.
 * @param userId null: no such account exists
 */
function accountAttempt(userId: string | null, identifier: string): Attempt {
  return {
    name: 'sign-in-account',
    holder: userId === null ? `typed ${nameKey(identifier)}` : `account ${userId}`,
    policy: guessingPolicy,
  };
}

/**
 * A browser that the owner has used before is limited separately, so that strangers cannot use up
 * its attempts.
 */
function deviceAttempt(userId: string, viewer: string): Attempt {
  return { name: 'sign-in-device', holder: `${userId} ${viewer}`, policy: guessingPolicy };
}

/** Limits the password entries of a signed-in user. */
export function passwordAttempt(userId: string): Attempt {
  return { name: 'password', holder: userId, policy: guessingPolicy };
}

const signInsPerAddress = 60;
export const registrationsPerAddress = 5;
export const registrationWindowMs = hourMs;
/** Limits how often a change of one's own email address can reveal that another user has it. */
export const takenPerAddress = 10;
export const takenWindowMs = hourMs;
