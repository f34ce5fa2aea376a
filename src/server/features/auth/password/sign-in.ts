import { Refusal } from '../../../http/pipeline/errors.ts';
import { auditRefusals } from '../../../http/protection/audit.ts';
import { readAccount } from '../../users/profile.ts';
import { updateAccount } from '../../users/user-change-repository.ts';
import { findForSignIn } from '../../users/user-repository.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import type { SignedInAnew } from '../sessions/sessions.ts';
import { startSession } from '../sessions/sessions.ts';
import { isKnownDevice, rememberDevice } from './known-device-repository.ts';
import { accountTry, addressTry, deviceTry, signInsPerAddress } from './sign-in-limits.ts';

export interface SignInInput {
  identifier: string;
  password: string;
  isRemembered: boolean;
}

/**
 * Lets in who knows the password. Whether there is such an account shows neither in the words nor in the time that a
 * refusal takes.
 * @throws Refusal 401 `invalid_credentials`, 429, 503 when too many sign in at once
 */
export async function signIn(deps: AuthDeps, visitor: Visitor, input: SignInInput): Promise<SignedInAnew> {
  const found = await findForSignIn(deps.database.reader, input.identifier);
  // By id: what was typed as a name may be a password.
  const facts = { user: found?.id ?? null };
  return auditRefusals(deps.audit, 'sign_in_refused', visitor.source, facts, () =>
    checkAndStartSession(deps, visitor, input, found),
  );
}

type Found = Awaited<ReturnType<typeof findForSignIn>>;

async function checkAndStartSession(
  deps: AuthDeps,
  visitor: Visitor,
  input: SignInInput,
  found: Found,
): Promise<SignedInAnew> {
  const personal = await tryOf(deps, visitor, input.identifier, found?.id ?? null);
  await deps.attempts.consume(addressTry('sign-in', visitor, signInsPerAddress), personal);
  const isRight = await deps.hasher.verify(input.password, found?.passwordHash ?? null);
  if (found === null || !isRight) throw new Refusal('invalid_credentials');
  await deps.attempts.reset(personal);
  return startUserSession(deps, visitor, found.id, {
    isRemembered: input.isRemembered,
    newHash: await improveHash(deps, input.password, found.passwordHash),
  });
}

async function tryOf({ database }: AuthDeps, { viewer }: Visitor, identifier: string, userId: string | null) {
  // Asked for nobody as well: it takes the same time.
  const isKnown = viewer !== undefined && (await isKnownDevice(database.reader, userId ?? '', viewer));
  return isKnown && userId !== null ? deviceTry(userId, viewer) : accountTry(userId, identifier);
}

/** Hashes that were made when less was asked for are made anew, as now the password is known. */
async function improveHash({ hasher }: AuthDeps, password: string, hash: string | null): Promise<string | undefined> {
  return hash !== null && hasher.isOutdated(hash) ? hasher.hash(password) : undefined;
}

/** A session for somebody who has proven who they are. */
export async function startUserSession(
  deps: AuthDeps,
  { device, viewer, source }: Pick<Visitor, 'device' | 'viewer' | 'source'>,
  userId: string,
  { isRemembered, newHash }: { isRemembered: boolean; newHash?: string | undefined },
): Promise<SignedInAnew> {
  const signedIn = await deps.database.write(async (transaction) => {
    const account = await readAccount(transaction, userId);
    if (newHash !== undefined) await updateAccount(transaction, userId, { passwordHash: newHash });
    if (viewer !== undefined) await rememberDevice(transaction, userId, viewer, deps.clock.now());
    return { account, session: await startSession(transaction, deps, { userId, device, isRemembered }) };
  });
  deps.audit.write('signed_in', source, { user: userId, session: signedIn.session.id });
  return signedIn;
}
