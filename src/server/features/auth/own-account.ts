import { limits } from '#contract/limits.ts';
import { checkPassword } from '#contract/rules/credentials.ts';
import { isSameAddress } from '#contract/rules/text.ts';
import type { Executor } from '../../database/tables.ts';
import { Invalid, Refusal } from '../../http/pipeline/errors.ts';
import type { SignedIn } from '../../http/pipeline/guards.ts';
import { auditRefusals } from '../../http/protection/audit.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { Account } from '../users/account.ts';
import { refuseGuessable } from '../users/password-hasher.ts';
import type { ProfileChange } from '../users/profile.ts';
import { changeProfile, readAccount, requireOtherAdmin } from '../users/profile.ts';
import { userChangeRepository } from '../users/user-change-repository.ts';
import { userRepository } from '../users/user-repository.ts';
import type { AuthDeps, Visitor } from './auth-deps.ts';
import { sessionRepository } from './sessions/session-repository.ts';
import { addressAttempt, isPasswordHash, passwordAttempt, takenPerAddress, takenWindowMs } from './sign-in.ts';

/**
 * Changes the profile. A new email address requires the same proof as a new password, because it
 * can be used to get back into the account.
 * @param proof its `onGiven` is called after the proof was given, or none was needed, and before
 * anything changes
 * @throws as `prove` and `changeProfile` do, Refusal 429
 */
export async function changeOwnProfile(
  deps: AuthDeps,
  visitor: Visitor,
  caller: SignedIn,
  change: ProfileChange,
  proof: { password: string | undefined; onGiven: () => Promise<void> },
): Promise<Account> {
  const before = await readAccount(deps.database.reader, caller.userId);
  const isMoving = change.email !== undefined && !isSameAddress(before.email, change.email);
  let recheck: Recheck | undefined;
  if (isMoving) {
    ({ recheck } = await prove(deps, visitor, caller, proof.password, 'current_password'));
    await deps.rateLimits.consume(addressAttempt('taken', visitor, takenPerAddress, takenWindowMs));
  }
  await proof.onGiven();
  const account = await changeProfile(deps, caller.userId, change, recheck);
  if (isMoving) deps.audit.write('email_changed', visitor.source, { user: caller.userId });
  return account;
}

/**
 * Changes the password and ends all other sessions.
 * @throws as `prove` does, Invalid for the current password or one that is easily guessed
 */
export async function changeOwnPassword(
  deps: AuthDeps,
  visitor: Visitor,
  caller: SignedIn,
  current: string | undefined,
  next: string,
): Promise<void> {
  const { account, recheck } = await prove(deps, visitor, caller, current, 'current_password');
  if (current === next && account.hasPassword)
    throw new Invalid([{ field: 'new_password', message: 'Choose a password that differs from the present one' }]);
  await refuseGuessable(next, account, 'new_password');
  const passwordHash = await deps.hasher.hash(next);
  await deps.database.write(async (transaction) => {
    await recheck(transaction);
    await userChangeRepository.update(transaction, caller.userId, { passwordHash });
    await userChangeRepository.deleteSessions(transaction, caller.userId, caller.sessionId);
  });
  deps.changes.notify(caller.userId);
  deps.audit.write('password_changed', visitor.source, { user: caller.userId });
}

/**
 * Deletes the account with its sessions and identities. Its uploads stay.
 * @throws as `prove` does, Refusal 409 for the last administrator
 */
export async function deleteOwnAccount(
  deps: AuthDeps,
  visitor: Visitor,
  caller: SignedIn,
  password: string | undefined,
): Promise<void> {
  const { recheck } = await prove(deps, visitor, caller, password, 'password');
  await deps.database.write(async (transaction) => {
    await requireOtherAdmin(transaction, caller.userId, null);
    await recheck(transaction);
    const { username: subject } = await readAccount(transaction, caller.userId);
    const deleted = { actorId: caller.userId, kind: 'account_deleted', subject } as const;
    await recordActivity(transaction, deleted, deps.clock.now());
    await userChangeRepository.delete(transaction, caller.userId);
  });
  deps.changes.notify(caller.userId);
  deps.audit.write('account_deleted', visitor.source, { user: caller.userId });
}

const proofMs = limits.proofMinutes * 60_000;

/** Throws if the proof does not hold any more in the transaction that it was given for. */
type Recheck = (transaction: Executor) => Promise<void>;

/**
 * Confirms the identity of a signed-in user again: by the current password, or, without one, by a
 * recent visit to their provider.
 * @param field the request field that contains the password
 * @throws Invalid for a wrong password, Refusal 403 without a recent visit, 429
 */
async function prove(
  deps: AuthDeps,
  { source }: Visitor,
  caller: SignedIn,
  password: string | undefined,
  field: string,
): Promise<{ account: Account; recheck: Recheck }> {
  const { userId, sessionId } = caller;
  const account = await readAccount(deps.database.reader, userId);
  const hash = await userRepository.readPasswordHash(deps.database.reader, userId);
  if (hash !== null)
    await auditRefusals(deps.audit, 'password_refused', source, { user: userId }, () =>
      provePassword(deps, userId, { password, hash, field }),
    );
  else await proveFreshness(deps, sessionId);
  const recheck = async (transaction: Executor) => {
    if (!(await isPasswordHash(transaction, userId, hash))) throw wrongPassword(field);
  };
  return { account, recheck };
}

async function provePassword(
  { rateLimits, hasher }: AuthDeps,
  userId: string,
  { password = '', hash, field }: { password: string | undefined; hash: string; field: string },
): Promise<void> {
  const missing = checkPassword(password);
  if (missing !== null) throw new Invalid([{ field, message: missing }]);
  const personal = passwordAttempt(userId);
  await rateLimits.consume(personal);
  if (!(await hasher.verify(password, hash))) throw wrongPassword(field);
  await rateLimits.reset(personal);
}

function wrongPassword(field: string): Invalid {
  return new Invalid([{ field, message: 'The password is wrong' }]);
}

async function proveFreshness({ database, clock }: AuthDeps, sessionId: string): Promise<void> {
  const session = await sessionRepository.find(database.reader, sessionId);
  const provenAt = session === null ? 0 : Math.max(session.createdAt, session.provenAt ?? 0);
  if (clock.now() - provenAt > proofMs)
    throw new Refusal('forbidden', { message: 'Confirm with your provider that it is you, and try once more.' });
}
