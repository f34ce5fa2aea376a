import { isSameAddress } from '#contract/rules/text.ts';
import { Invalid } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import type { Account } from '../../users/account.ts';
import { refuseGuessable } from '../../users/guessable-password.ts';
import { requireOtherAdmin } from '../../users/last-admin.ts';
import type { ProfileChange } from '../../users/profile.ts';
import { changeProfile, readAccount } from '../../users/profile.ts';
import { deleteSessionsOf } from '../../users/session-end-repository.ts';
import { deleteUserRow, updateAccount } from '../../users/user-change-repository.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import { prove } from './proof.ts';
import { addressTry, takenPerAddress, takenWindowMs } from './sign-in-limits.ts';

/**
 * Another address is another way back into the account, so it takes the proof that another password takes.
 * @param proof `onGiven` is called once it was given, or none is needed, and before anything changes
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
  if (isMoving) {
    await prove(deps, visitor, caller, proof.password, 'current_password');
    await deps.attempts.consume(addressTry('taken', visitor, takenPerAddress, takenWindowMs));
  }
  await proof.onGiven();
  const account = await changeProfile(deps, caller.userId, change);
  if (isMoving) deps.audit.write('email_changed', visitor.source, { user: caller.userId });
  return account;
}

/**
 * All other sessions end. @throws as `prove` does, Invalid for the same password again or one that is easily guessed
 */
export async function changePassword(
  deps: AuthDeps,
  visitor: Visitor,
  caller: SignedIn,
  current: string | undefined,
  next: string,
): Promise<void> {
  const account = await prove(deps, visitor, caller, current, 'current_password');
  if (current === next && account.hasPassword)
    throw new Invalid([{ field: 'new_password', message: 'Choose a password that differs from the present one' }]);
  await refuseGuessable(next, account, 'new_password');
  const passwordHash = await deps.hasher.hash(next);
  await deps.database.write(async (transaction) => {
    await updateAccount(transaction, caller.userId, { passwordHash });
    await deleteSessionsOf(transaction, caller.userId, caller.sessionId);
  });
  deps.changes.notify(caller.userId);
  deps.audit.write('password_changed', visitor.source, { user: caller.userId });
}

/**
 * The account with its sessions and identities; what was uploaded stays. @throws as `prove` does, Refusal 409 for the
 * last administrator
 */
export async function deleteAccount(
  deps: AuthDeps,
  visitor: Visitor,
  caller: SignedIn,
  password: string | undefined,
): Promise<void> {
  await prove(deps, visitor, caller, password, 'password');
  await deps.database.write(async (transaction) => {
    await requireOtherAdmin(transaction, caller.userId, null);
    const { username: subject } = await readAccount(transaction, caller.userId);
    const deleted = { actorId: caller.userId, kind: 'account_deleted', subject } as const;
    await recordActivity(transaction, deleted, deps.clock.now());
    await deleteUserRow(transaction, caller.userId);
  });
  deps.changes.notify(caller.userId);
  deps.audit.write('account_deleted', visitor.source, { user: caller.userId });
}
