import { isSameAddress } from '#contract/rules/text.ts';
import type { Executor } from '../../../database/tables.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import type { AuditFacts } from '../../../http/protection/audit.ts';
import { writeAvatar } from '../../users/avatar-repository.ts';
import { readAccount } from '../../users/profile.ts';
import { findAccount, findByEmail } from '../../users/user-repository.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import type { Entry } from '../new-account.ts';
import { addAccount } from '../new-account.ts';
import { claimFirstAccount } from '../password/first-account.ts';
import { takingNames } from '../password/registration.ts';
import { findSession, markProven } from '../sessions/session-repository.ts';
import type { SignedInAnew } from '../sessions/sessions.ts';
import { chooseUsername } from './account-name.ts';
import { fetchAvatar } from './fetch-avatar.ts';
import { findIdentityUser, insertIdentity, listIdentitiesOf } from './identity-repository.ts';
import type { ProviderProfile } from './provider.ts';
import { ProviderFailed } from './provider.ts';

/** Somebody who is signed in gets another way in, or shows by the one that they have who they are. */
export async function linkProvider(
  deps: AuthDeps,
  { source }: Visitor,
  provider: string,
  sessionId: string,
  profile: ProviderProfile,
): Promise<SignedInAnew> {
  const session = await findSession(deps.database.reader, sessionId);
  if (session === null || session.expiresAt <= deps.clock.now()) throw new ProviderFailed('oauth_state');
  const { userId } = session;
  const isNew = await linkingOnce(deps, {}, async (transaction) => {
    const owner = await findIdentityUser(transaction, profile.issuer, profile.subject);
    if (owner !== null && owner !== userId) throw new ProviderFailed('already_linked');
    if (owner === userId) await markProven(transaction, sessionId, deps.clock.now());
    else await addIdentity(transaction, deps, userId, provider, profile);
    return owner === null;
  });
  await storeAvatar(deps, userId, profile);
  if (isNew) deps.audit.write('identity_linked', source, { user: userId, provider });
  return { account: await readAccount(deps.database.reader, userId), session };
}

/**
 * Somebody who comes for the first time: an account of their own, or the one that a provider's word opened before, which
 * takes no invitation.
 */
export async function findOrCreateUser(
  deps: AuthDeps,
  { source }: Visitor,
  provider: string,
  profile: ProviderProfile,
  invitationHash: string | null,
): Promise<string> {
  const { email } = profile;
  if (email === null || !profile.isEmailVerified) throw new ProviderFailed('email_unverified');
  const { id, isNew, invitationId } = await linkingOnce(deps, { email }, async (transaction) => {
    const account = await findByEmail(transaction, email);
    // An address that nobody vouched for may have been typed by somebody who waits for its owner; one that only
    // compares alike is another mailbox.
    const isTheirs =
      account !== null && !account.hasPassword && account.isEmailVerified && isSameAddress(account.email, email);
    if (account !== null && !isTheirs) throw new ProviderFailed('account_exists');
    const person =
      account === null
        ? { isNew: true, ...(await addPerson(transaction, deps, { ...profile, email }, { provider, invitationHash })) }
        : { isNew: false, id: account.id, invitationId: null };
    await addIdentity(transaction, deps, person.id, provider, profile);
    return person;
  });
  await storeAvatar(deps, id, profile);
  const invited: AuditFacts = invitationId === null ? {} : { invitation: invitationId };
  deps.audit.write(isNew ? 'registered' : 'identity_linked', source, { user: id, provider, ...invited });
  return id;
}

async function addPerson(
  transaction: Executor,
  deps: AuthDeps,
  { email, displayName, username }: ProviderProfile & { email: string },
  entry: Pick<Entry, 'provider' | 'invitationHash'>,
): Promise<{ id: string; invitationId: string | null }> {
  const isFirst = await claimFirstAccount(transaction, undefined).catch((error: unknown) => {
    throw error instanceof Refusal ? new ProviderFailed('setup_required') : error;
  });
  const person = {
    username: await chooseUsername(transaction, [username, email, displayName], deps.ids.short),
    email,
    isEmailVerified: true,
    displayName,
    passwordHash: null,
  };
  return addAccount(transaction, deps, person, { isFirst, ...entry }).catch(throwProviderFailure);
}

/** Why no account may be made, as a visit ends with it. */
function throwProviderFailure(error: unknown): never {
  const isTold =
    error instanceof Refusal && (error.code === 'registration_closed' || error.code === 'invitation_invalid');
  throw isTold ? new ProviderFailed(error.code, { cause: error }) : error;
}

async function addIdentity(
  transaction: Executor,
  { clock }: AuthDeps,
  userId: string,
  provider: string,
  { issuer, subject, email }: ProviderProfile,
): Promise<void> {
  const identities = await listIdentitiesOf(transaction, userId);
  if (identities.some((identity) => identity.provider === provider)) throw new ProviderFailed('already_linked');
  await insertIdentity(transaction, { issuer, subject, provider, userId, email, linkedAt: clock.now() });
}

/** Two windows may end the same visit's work at once: the database lets one do it. */
async function linkingOnce<T>(
  deps: AuthDeps,
  wanted: { email?: string },
  work: (transaction: Executor) => Promise<T>,
): Promise<T> {
  try {
    return await takingNames(deps, wanted, work);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'conflict')
      throw new ProviderFailed('account_exists', { cause: error });
    if (deps.database.dialect.isConflict(error)) throw new ProviderFailed('already_linked', { cause: error });
    throw error;
  }
}

/** Once, and only for somebody who has none. */
async function storeAvatar(
  { database, changes }: AuthDeps,
  userId: string,
  { avatar: address }: ProviderProfile,
): Promise<void> {
  const account = address === null ? null : await findAccount(database.reader, userId);
  if (address === null || account === null || account.avatar !== null) return;
  const avatar = await fetchAvatar(address);
  if (avatar === null) return;
  await database.write((transaction) => writeAvatar(transaction, userId, avatar));
  changes.notify(userId);
}
