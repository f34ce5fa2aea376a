import { limits } from '#contract/limits.ts';
import { checkPassword } from '#contract/rules/credentials.ts';
import { Invalid, Refusal } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import { auditRefusals } from '../../../http/protection/audit.ts';
import type { Account } from '../../users/account.ts';
import { readAccount } from '../../users/profile.ts';
import { readPasswordHash } from '../../users/user-repository.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import { findSession } from '../sessions/session-repository.ts';
import { passwordTry } from './sign-in-limits.ts';

const proofMs = limits.proofMinutes * 60_000;

/**
 * Whoever holds a token says who they are once more: by the present password, or, without one, by a visit to their
 * provider a short while ago.
 * @param field by which the call knows the password
 * @throws Invalid for a wrong password, Refusal 403 without a fresh visit, 429
 */
export async function prove(
  deps: AuthDeps,
  { source }: Visitor,
  caller: SignedIn,
  password: string | undefined,
  field: string,
): Promise<Account> {
  const { userId, sessionId } = caller;
  const account = await readAccount(deps.database.reader, userId);
  if (account.hasPassword)
    await auditRefusals(deps.audit, 'password_refused', source, { user: userId }, () =>
      provePassword(deps, userId, password, field),
    );
  else await proveFreshness(deps, sessionId);
  return account;
}

async function provePassword(
  { database, attempts, hasher }: AuthDeps,
  userId: string,
  password = '',
  field: string,
): Promise<void> {
  const missing = checkPassword(password);
  if (missing !== null) throw new Invalid([{ field, message: missing }]);
  const personal = passwordTry(userId);
  await attempts.consume(personal);
  if (!(await hasher.verify(password, await readPasswordHash(database.reader, userId))))
    throw new Invalid([{ field, message: 'The password is wrong' }]);
  await attempts.reset(personal);
}

async function proveFreshness({ database, clock }: AuthDeps, sessionId: string): Promise<void> {
  const session = await findSession(database.reader, sessionId);
  const provenAt = session === null ? 0 : Math.max(session.createdAt, session.provenAt ?? 0);
  if (clock.now() - provenAt > proofMs)
    throw new Refusal('forbidden', { message: 'Confirm with your provider that it is you, and try once more.' });
}
