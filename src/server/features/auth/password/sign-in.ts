import { Refusal } from '../../../http/pipeline/errors.ts';
import { auditRefusals } from '../../../http/protection/audit-refusals.ts';
import { readAccount } from '../../users/profile.ts';
import { updateAccount } from '../../users/user-change-repository.ts';
import { findForSignIn } from '../../users/user-repository.ts';
import type { AuthParts, Visitor } from '../auth-deps.ts';
import type { SignedInAnew } from '../sessions/sessions.ts';
import { startSession } from '../sessions/sessions.ts';
import { isKnownDevice, rememberDevice } from './known-device-repository.ts';
import { accountTry, addressTry, deviceTry, signInsPerAddress } from './sign-in-limits.ts';

export interface SignInWish {
  identifier: string;
  password: string;
  isRemembered: boolean;
}

/**
 * Lets in who knows the password. Whether there is such an account shows neither in the words nor in the time that a refusal takes.
 * @throws Refusal 401 `invalid_credentials`, 429, 503 when too many sign in at once
 */
export async function signIn(parts: AuthParts, visitor: Visitor, wish: SignInWish): Promise<SignedInAnew> {
  const found = await findForSignIn(parts.database.reader, wish.identifier);
  // By id: what was typed as a name may be a password.
  const facts = { user: found?.id ?? null };
  return auditRefusals(parts.audit, 'sign_in_refused', visitor.source, facts, () => checkAndLetIn(parts, visitor, wish, found));
}

type Found = Awaited<ReturnType<typeof findForSignIn>>;

async function checkAndLetIn(parts: AuthParts, visitor: Visitor, wish: SignInWish, found: Found): Promise<SignedInAnew> {
  const personal = await tryOf(parts, visitor, wish.identifier, found?.id ?? null);
  await parts.attempts.take(addressTry('sign-in', visitor, signInsPerAddress), personal);
  const isRight = await parts.hasher.verify(wish.password, found?.passwordHash ?? null);
  if (found === null || !isRight) throw new Refusal('invalid_credentials');
  await parts.attempts.forget(personal);
  return letIn(parts, visitor, found.id, { isRemembered: wish.isRemembered, newHash: await improveHash(parts, wish.password, found.passwordHash) });
}

async function tryOf({ database }: AuthParts, { viewer }: Visitor, identifier: string, userId: string | null) {
  // Asked for nobody as well: it takes the same time.
  const isKnown = viewer !== undefined && (await isKnownDevice(database.reader, userId ?? '', viewer));
  return isKnown && userId !== null ? deviceTry(userId, viewer) : accountTry(userId, identifier);
}

/** Hashes that were made when less was asked for are made anew, as now the password is known. */
async function improveHash({ hasher }: AuthParts, password: string, hash: string | null): Promise<string | undefined> {
  return hash !== null && hasher.isOutdated(hash) ? hasher.hash(password) : undefined;
}

/** A session for somebody who has proven who they are. */
export async function letIn(
  parts: AuthParts,
  { device, viewer, source }: Pick<Visitor, 'device' | 'viewer' | 'source'>,
  userId: string,
  { isRemembered, newHash }: { isRemembered: boolean; newHash?: string | undefined },
): Promise<SignedInAnew> {
  const signedIn = await parts.database.write(async (transaction) => {
    const account = await readAccount(transaction, userId);
    if (newHash !== undefined) await updateAccount(transaction, userId, { passwordHash: newHash });
    if (viewer !== undefined) await rememberDevice(transaction, userId, viewer, parts.clock.now());
    return { account, session: await startSession(transaction, parts, { userId, device, isRemembered }) };
  });
  parts.audit.write('signed_in', source, { user: userId, session: signedIn.session.id });
  return signedIn;
}
