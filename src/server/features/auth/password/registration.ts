import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { auditRefusals } from '../../../http/protection/audit-refusals.ts';
import { refuseGuessable } from '../../users/guessable-password.ts';
import { readAccount } from '../../users/profile.ts';
import { refuseReserved, refuseTaken } from '../../users/taken-names.ts';
import { insertAccount } from '../../users/user-change-repository.ts';
import type { AuthParts, Visitor } from '../auth-deps.ts';
import type { SignedInAnew } from '../sessions/sessions.ts';
import { startSession } from '../sessions/sessions.ts';
import { claimFirstAccount } from './first-account.ts';
import { rememberDevice } from './known-device-repository.ts';
import { addressTry, registrationsPerAddress, registrationWindowMs } from './sign-in-limits.ts';

export interface RegistrationWish {
  username: string;
  email: string;
  password: string;
  displayName: string | null;
  setupCode: string | undefined;
}

/**
 * A new account, signed in. The first one of an installation is an administrator's.
 * @throws Invalid for a password that is easily guessed, Refusal 403 where registration is closed, 409 that names what is taken, 429, 503 when too many sign in at once
 */
export function register(parts: AuthParts, visitor: Visitor, wish: RegistrationWish): Promise<SignedInAnew> {
  return auditRefusals(parts.audit, 'registration_refused', visitor.source, {}, () => addAndLetIn(parts, visitor, wish));
}

async function addAndLetIn(parts: AuthParts, visitor: Visitor, wish: RegistrationWish): Promise<SignedInAnew> {
  const { username, email } = wish;
  refuseReserved(username);
  await refuseGuessable(wish.password, wish, 'password');
  await parts.attempts.take(addressTry('registration', visitor, registrationsPerAddress, registrationWindowMs));
  await parts.setup.check(wish.setupCode);
  await refuseTaken(parts.database.reader, { username, email });
  const passwordHash = await parts.hasher.hash(wish.password);
  const person = { username, email, displayName: wish.displayName, passwordHash, isEmailVerified: false };
  const signedIn = await takingNames(parts, { username, email }, async (transaction) => {
    const isFirst = await claimFirstAccount(transaction, wish.setupCode);
    const userId = await addAccount(transaction, parts, person, isFirst);
    if (visitor.viewer !== undefined) await rememberDevice(transaction, userId, visitor.viewer, parts.clock.now());
    const session = await startSession(transaction, parts, { userId, device: visitor.device, isRemembered: false });
    return { account: await readAccount(transaction, userId), session };
  });
  parts.audit.write('registered', visitor.source, { user: signedIn.account.id, tier: signedIn.account.tier });
  return signedIn;
}

export interface NewPerson {
  username: string;
  email: string;
  isEmailVerified: boolean;
  displayName: string | null;
  passwordHash: string | null;
}

/** @returns the id. @throws Refusal 403 where registration is closed, but for the first account */
export async function addAccount(transaction: Executor, parts: AuthParts, person: NewPerson, isFirst: boolean): Promise<string> {
  if (!isFirst && !parts.isRegistrationOpen) throw new Refusal('registration_closed');
  const id = parts.ids.long();
  await insertAccount(transaction, { id, ...person, tier: isFirst ? 'admin' : limits.defaultTier, createdAt: parts.clock.now() });
  return id;
}

/** Two may want one name at the same moment: the database lets one have it, and the other is told so. */
export async function takingNames<T>(
  { database }: Pick<AuthParts, 'database'>,
  wanted: { username?: string; email?: string },
  work: (transaction: Executor) => Promise<T>,
): Promise<T> {
  try {
    return await database.write(work);
  } catch (error) {
    if (database.dialect.isConflict(error)) await refuseTaken(database.reader, wanted);
    throw error;
  }
}
