import { Invalid, Refusal } from '../../http/errors.ts';
import type { SignedIn } from '../../http/guards.ts';
import { keepLastAdmin } from '../users/last-admin.ts';
import { deleteSessionsOf } from '../users/session-end-repository.ts';
import { deleteUserRow, updateAccount } from '../users/user-change-repository.ts';
import { readPasswordHash } from '../users/user-repository.ts';
import type { AuthParts } from './auth-parts.ts';
import { findSession } from './session-repository.ts';
import { passwordTry } from './sign-in-limits.ts';

/** Whoever has no password proves who they are by having just come from their provider. */
const freshSessionMs = 600_000;

/** All other sessions end. @throws Invalid for a wrong present password or the same one again */
export async function changePassword(parts: AuthParts, caller: SignedIn, current: string, next: string): Promise<void> {
  await prove(parts, caller, current, 'current_password');
  if (current === next) throw new Invalid([{ field: 'new_password', message: 'Choose a password that differs from the present one' }]);
  const passwordHash = await parts.hasher.hash(next);
  await parts.database.write(async (transaction) => {
    await updateAccount(transaction, caller.userId, { passwordHash });
    await deleteSessionsOf(transaction, caller.userId, caller.sessionId);
  });
  parts.changes.tell(caller.userId);
  parts.log.info({ event: 'password_changed', user_id: caller.userId }, 'a password was changed');
}

/** The account with its sessions and identities; what was uploaded stays. @throws Refusal 409 for the last administrator */
export async function deleteAccount(parts: AuthParts, caller: SignedIn, password: string): Promise<void> {
  await prove(parts, caller, password, 'password');
  await parts.database.write(async (transaction) => {
    await keepLastAdmin(transaction, caller.userId, null);
    await deleteUserRow(transaction, caller.userId);
  });
  parts.changes.tell(caller.userId);
  parts.log.info({ event: 'account_deleted', user_id: caller.userId }, 'somebody deleted their account');
}

async function prove(parts: AuthParts, { userId, sessionId }: SignedIn, password: string, field: string): Promise<void> {
  const hash = await readPasswordHash(parts.database.reader, userId);
  if (hash === null) return proveFreshness(parts, sessionId);
  const personal = passwordTry(userId);
  await parts.attempts.take(personal);
  if (!(await parts.hasher.verify(password, hash))) throw new Invalid([{ field, message: 'The password is wrong' }]);
  await parts.attempts.forget(personal);
}

async function proveFreshness({ database, clock }: AuthParts, sessionId: string): Promise<void> {
  const session = await findSession(database.reader, sessionId);
  const isFresh = session !== null && clock.now() - session.createdAt <= freshSessionMs;
  if (!isFresh) throw new Refusal('forbidden', { message: 'Sign out, sign in again with your provider, and try once more.' });
}
