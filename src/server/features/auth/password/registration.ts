import type { Executor } from '../../../database/tables.ts';
import type { AuditFacts } from '../../../http/protection/audit.ts';
import { auditRefusals } from '../../../http/protection/audit.ts';
import { refuseGuessable } from '../../users/guessable-password.ts';
import { readAccount } from '../../users/profile.ts';
import { refuseReserved, refuseTaken } from '../../users/taken-names.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import { hashInvitation } from '../invitations/invitation-repository.ts';
import { requireGoodInvitation } from '../invitations/use-invitation.ts';
import { addAccount } from '../new-account.ts';
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
  /** The token of an invitation. */
  invitation: string | undefined;
}

/**
 * A new account, signed in. The first one of an installation is an administrator's.
 * @throws Invalid for a password that is easily guessed, Refusal 403 where registration is closed and for an invitation
 * that is not good, 409 that names what is taken, 429, 503 when too many sign in at once
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
  await deps.attempts.consume(addressTry('registration', visitor, registrationsPerAddress, registrationWindowMs));
  await deps.setup.check(input.setupCode);
  const invitationHash = input.invitation === undefined ? null : hashInvitation(input.invitation);
  // The transaction claims it; whoever has none that is good learns neither which names are taken nor costs a hash.
  if (invitationHash !== null) await requireGoodInvitation(deps.database.reader, invitationHash, deps.clock.now());
  await refuseTaken(deps.database.reader, { username, email });
  const passwordHash = await deps.hasher.hash(input.password);
  const person = { username, email, displayName: input.displayName, passwordHash, isEmailVerified: false };
  const { signedIn, invitationId } = await takingNames(deps, { username, email }, async (transaction) => {
    const isFirst = await claimFirstAccount(transaction, input.setupCode);
    const entry = { isFirst, invitationHash, provider: null };
    const { id: userId, invitationId } = await addAccount(transaction, deps, person, entry);
    if (visitor.viewer !== undefined) await rememberDevice(transaction, userId, visitor.viewer, deps.clock.now());
    const session = await startSession(transaction, deps, { userId, device: visitor.device, isRemembered: false });
    return { signedIn: { account: await readAccount(transaction, userId), session }, invitationId };
  });
  const { id: user, tier } = signedIn.account;
  const invited: AuditFacts = invitationId === null ? {} : { invitation: invitationId };
  deps.audit.write('registered', visitor.source, { user, tier, ...invited });
  return signedIn;
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
