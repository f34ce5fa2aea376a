import { isSameAddress } from '#contract/rules/text.ts';
import { Invalid } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import type { Account } from '../../users/account.ts';
import { refuseGuessable } from '../../users/guessable-password.ts';
import { keepLastAdmin } from '../../users/last-admin.ts';
import type { ProfileChange } from '../../users/profile.ts';
import { changeProfile, readAccount } from '../../users/profile.ts';
import { deleteSessionsOf } from '../../users/session-end-repository.ts';
import { deleteUserRow, updateAccount } from '../../users/user-change-repository.ts';
import type { AuthParts, Visitor } from '../auth-deps.ts';
import { prove } from './proof.ts';
import { addressTry, takenPerAddress, takenWindowMs } from './sign-in-limits.ts';

/**
 * Another address is another way back into the account, so it takes the proof that another password takes.
 * @param proof `onGiven` is called once it was given, or none is needed, and before anything changes
 * @throws as `prove` and `changeProfile` do, Refusal 429
 */
export async function changeOwnProfile(
  parts: AuthParts,
  visitor: Visitor,
  caller: SignedIn,
  change: ProfileChange,
  proof: { password: string | undefined; onGiven: () => Promise<void> },
): Promise<Account> {
  const before = await readAccount(parts.database.reader, caller.userId);
  const isMoving = change.email !== undefined && !isSameAddress(before.email, change.email);
  if (isMoving) {
    await prove(parts, visitor, caller, proof.password, 'current_password');
    await parts.attempts.take(addressTry('taken', visitor, takenPerAddress, takenWindowMs));
  }
  await proof.onGiven();
  const account = await changeProfile(parts, caller.userId, change);
  if (isMoving) parts.audit.write('email_changed', visitor.source, { user: caller.userId });
  return account;
}

/** All other sessions end. @throws as `prove` does, Invalid for the same password again or one that is easily guessed */
export async function changePassword(parts: AuthParts, visitor: Visitor, caller: SignedIn, current: string | undefined, next: string): Promise<void> {
  const account = await prove(parts, visitor, caller, current, 'current_password');
  if (current === next && account.hasPassword) throw new Invalid([{ field: 'new_password', message: 'Choose a password that differs from the present one' }]);
  await refuseGuessable(next, account, 'new_password');
  const passwordHash = await parts.hasher.hash(next);
  await parts.database.write(async (transaction) => {
    await updateAccount(transaction, caller.userId, { passwordHash });
    await deleteSessionsOf(transaction, caller.userId, caller.sessionId);
  });
  parts.changes.tell(caller.userId);
  parts.audit.write('password_changed', visitor.source, { user: caller.userId });
}

/** The account with its sessions and identities; what was uploaded stays. @throws as `prove` does, Refusal 409 for the last administrator */
export async function deleteAccount(parts: AuthParts, visitor: Visitor, caller: SignedIn, password: string | undefined): Promise<void> {
  await prove(parts, visitor, caller, password, 'password');
  await parts.database.write(async (transaction) => {
    await keepLastAdmin(transaction, caller.userId, null);
    await deleteUserRow(transaction, caller.userId);
  });
  parts.changes.tell(caller.userId);
  parts.audit.write('account_deleted', visitor.source, { user: caller.userId });
}
