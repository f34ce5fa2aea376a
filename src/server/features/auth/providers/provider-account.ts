import { createHash } from 'node:crypto';
import type { Identity } from '#contract/entities/account.ts';
import { limits } from '#contract/limits.ts';
import { isSameAddress } from '#contract/rules/text.ts';
import type { Executor } from '../../../database/tables.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { AuditFacts } from '../../../http/protection/audit.ts';
import { isReserved, readAccount } from '../../users/profile.ts';
import type { Avatar } from '../../users/user-change-repository.ts';
import { userChangeRepository } from '../../users/user-change-repository.ts';
import { userRepository } from '../../users/user-repository.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import { claimFirstAccount } from '../first-account.ts';
import type { Entry } from '../registration.ts';
import { addAccount, takingNames } from '../registration.ts';
import { sessionRepository } from '../sessions/session-repository.ts';
import type { SignedInAnew } from '../sessions/sessions.ts';
import type { ProviderProfile } from './provider.ts';
import { ProviderFailed } from './provider.ts';
import { providerRepository } from './provider-repository.ts';

/**
 * Links a provider to the account of a session, or confirms the identity of a user who has linked
 * it.
 */
export async function linkProvider(
  deps: AuthDeps,
  { source }: Visitor,
  provider: string,
  sessionId: string,
  profile: ProviderProfile,
): Promise<SignedInAnew> {
  const known = await sessionRepository.find(deps.database.reader, sessionId);
  const userId = known?.userId ?? '';
  const { session, isNew } = await linkingOnce(deps, {}, async (transaction) => {
    // Whoever changes the password at the same moment ends this session before or after this.
    await userChangeRepository.hold(transaction, userId);
    const session = await sessionRepository.find(transaction, sessionId);
    if (session === null || session.expiresAt <= deps.clock.now()) throw new ProviderFailed('oauth_state');
    const owner = await providerRepository.findUser(transaction, profile.issuer, profile.subject);
    if (owner !== null && owner !== userId) throw new ProviderFailed('already_linked');
    if (owner === userId) await sessionRepository.markProven(transaction, sessionId, deps.clock.now());
    else await addIdentity(transaction, deps, userId, provider, profile);
    return { session, isNew: owner === null };
  });
  await storeAvatar(deps, userId, profile);
  if (isNew) deps.audit.write('identity_linked', source, { user: userId, provider });
  return { account: await readAccount(deps.database.reader, userId), session };
}

/**
 * Finds or creates the user of an unlinked provider account. An existing account is used if it has
 * no password and a provider verified the same address, which takes no invitation.
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
    const account = await userRepository.findByEmail(transaction, email);
    // An unverified address may be a trap: somebody else may have entered it and wait for its
    // owner. Addresses that are only equal by comparison key are different mailboxes.
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

/** Turns a refused registration into the failure that ends the visit. */
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
  const identities = await providerRepository.listIdentities(transaction, userId);
  if (identities.some((identity) => identity.provider === provider)) throw new ProviderFailed('already_linked');
  await providerRepository.insertIdentity(transaction, {
    issuer,
    subject,
    provider,
    userId,
    email,
    linkedAt: clock.now(),
  });
}

/** Two windows can finish the same visit at once: the database lets one of them succeed. */
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

/** Stores the provider's avatar once, for users who have none. */
async function storeAvatar(
  { database, changes }: AuthDeps,
  userId: string,
  { avatar: address }: ProviderProfile,
): Promise<void> {
  const account = address === null ? null : await userRepository.find(database.reader, userId);
  if (address === null || account === null || account.avatar !== null) return;
  const avatar = await fetchAvatar(address);
  if (avatar === null) return;
  await database.write((transaction) => userChangeRepository.writeAvatar(transaction, userId, avatar));
  changes.notify(userId);
}

const maxUsernameTries = 50;

/**
 * A username for a new user: the provider's, or the local part of the address, with a number if it
 * is taken.
 */
async function chooseUsername(
  executor: Executor,
  candidates: readonly (string | null)[],
  random: () => string,
): Promise<string> {
  const preferred = candidates.map(toUsername).find((name) => name !== null) ?? 'viewer';
  for (let number = 1; number <= maxUsernameTries; number += 1) {
    const username = number === 1 ? preferred : `${preferred.slice(0, limits.usernameMaxCharacters - 4)}-${number}`;
    if (!isReserved(username) && (await userRepository.findTaken(executor, { username })).length === 0) return username;
  }
  return `viewer-${random()}`;
}

/** Longer names from a provider are cut before they are processed. */
const maxCandidateCharacters = 200;

/** A valid username made from a name, or null when too little of it remains. */
export function toUsername(name: string | null): string | null {
  const kept = (name ?? '')
    .slice(0, maxCandidateCharacters)
    .normalize('NFKD')
    .slice(0, maxCandidateCharacters)
    .replace(/@.*$/, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, limits.usernameMaxCharacters);
  return kept.length >= limits.usernameMinCharacters ? kept : null;
}

const avatarPatienceMs = 3_000;
const maxAvatarBytes = 4 * 1024 * 1024;
const avatarSidePx = 256;
const maxAvatarPixels = 40_000_000;
const avatarFormats: ReadonlySet<string> = new Set(['jpeg', 'png', 'webp', 'gif']);

/**
 * A provider's avatar, scaled down and encoded again, so that no byte of the original is served.
 * Null when it cannot be fetched or is no image.
 */
async function fetchAvatar(address: URL): Promise<Avatar | null> {
  try {
    const answer = await fetch(address, {
      redirect: 'error',
      signal: AbortSignal.timeout(avatarPatienceMs),
      headers: { accept: 'image/*' },
    });
    if (!answer.ok || answer.body === null) return null;
    // Loaded here, because it needs megabytes of memory that a server without such avatars never
    // uses.
    const { default: sharp } = await import('sharp');
    const image = sharp(await readAtMost(answer.body, maxAvatarBytes), { limitInputPixels: maxAvatarPixels });
    // SVG is refused: it can contain far more than an image.
    if (!avatarFormats.has((await image.metadata()).format ?? '')) return null;
    const webp = await image.rotate().resize(avatarSidePx, avatarSidePx, { fit: 'cover' }).webp().toBuffer();
    return { webp, content: createHash('sha256').update(webp).digest('hex').slice(0, 40) };
  } catch {
    // A missing avatar does not stop the sign-in.
    return null;
  }
}

async function readAtMost(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new Error('This is too large for a picture.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function listLinkedIdentities({ database }: AuthDeps, userId: string): Promise<Identity[]> {
  const identities = await providerRepository.listIdentities(database.reader, userId);
  return identities.map(({ provider, email, linkedAt }) => ({
    provider,
    email,
    linked_at: new Date(linkedAt).toISOString(),
  }));
}

/** @throws NotFound, Refusal 409 for the last way to sign in */
export async function unlinkProvider(
  { database, audit }: AuthDeps,
  { source }: Visitor,
  userId: string,
  provider: string,
): Promise<void> {
  await database.write(async (transaction) => {
    await userChangeRepository.hold(transaction, userId);
    const identities = await providerRepository.listIdentities(transaction, userId);
    if (!identities.some((identity) => identity.provider === provider)) throw new NotFound('provider');
    const isLastWay = identities.length === 1 && (await userRepository.readPasswordHash(transaction, userId)) === null;
    if (isLastWay)
      throw new Refusal('conflict', { message: 'This is your only way to sign in. Set a password first.' });
    await providerRepository.deleteIdentity(transaction, userId, provider);
  });
  audit.write('identity_unlinked', source, { user: userId, provider });
}
