import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { auditRefusals } from '../../../http/protection/audit.ts';
import { refuseGuessable } from '../../users/guessable-password.ts';
import { readAccount } from '../../users/profile.ts';
import { refuseReserved, refuseTaken } from '../../users/taken-names.ts';
import { insertAccount } from '../../users/user-change-repository.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import type { SignedInAnew } from '../sessions/sessions.ts';
import { startSession } from '../sessions/sessions.ts';
import { claimFirstAccount } from './first-account.ts';
import { rememberDevice } from './known-device-repository.ts';
import { addressTry, registrationsPerAddress, registrationWindowMs } from './sign-in-limits.ts';

export interface RegistrationInput {
  username: string;
  email: string;
  password: string;
  displayName: string | null;
  setupCode: string | undefined;
}

/**
 * A new account, signed in. The first one of an installation is an administrator's.
 * @throws Invalid for a password that is easily guessed, Refusal 403 where registration is closed, 409 that names what
 * is taken, 429, 503 when too many sign in at once
 */
export function register(deps: AuthDeps, visitor: Visitor, input: RegistrationInput): Promise<SignedInAnew> {
  return auditRefusals(deps.audit, 'registration_refused', visitor.source, {}, () =>
    addAndStartSession(deps, visitor, input),
  );
}

async function addAndStartSession(deps: AuthDeps, visitor: Visitor, input: RegistrationInput): Promise<SignedInAnew> {
  const { username, email } = input;
  refuseReserved(username);
  await refuseGuessable(input.password, input, 'password');
  await deps.attempts.take(addressTry('registration', visitor, registrationsPerAddress, registrationWindowMs));
  await deps.setup.check(input.setupCode);
  await refuseTaken(deps.database.reader, { username, email });
  const passwordHash = await deps.hasher.hash(input.password);
  const person = { username, email, displayName: input.displayName, passwordHash, isEmailVerified: false };
  const signedIn = await takingNames(deps, { username, email }, async (transaction) => {
    const isFirst = await claimFirstAccount(transaction, input.setupCode);
    const userId = await addAccount(transaction, deps, person, isFirst);
    if (visitor.viewer !== undefined) await rememberDevice(transaction, userId, visitor.viewer, deps.clock.now());
    const session = await startSession(transaction, deps, { userId, device: visitor.device, isRemembered: false });
    return { account: await readAccount(transaction, userId), session };
  });
  deps.audit.write('registered', visitor.source, { user: signedIn.account.id, tier: signedIn.account.tier });
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
export async function addAccount(
  transaction: Executor,
  deps: AuthDeps,
  person: NewPerson,
  isFirst: boolean,
): Promise<string> {
  if (!isFirst && !deps.isRegistrationOpen) throw new Refusal('registration_closed');
  const id = deps.ids.long();
  await insertAccount(transaction, {
    id,
    ...person,
    tier: isFirst ? 'admin' : limits.defaultTier,
    createdAt: deps.clock.now(),
  });
  return id;
}

/** Two may want one name at the same moment: the database lets one have it, and the other is told so. */
export async function takingNames<T>(
  { database }: Pick<AuthDeps, 'database'>,
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
