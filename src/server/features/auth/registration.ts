import { limits } from '#contract/limits.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { AuditFacts } from '../../http/protection/audit.ts';
import { auditRefusals } from '../../http/protection/audit.ts';
import { settingRepository } from '../../settings-repository.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { refuseGuessable } from '../users/password-hasher.ts';
import { readAccount, refuseReserved, refuseTaken } from '../users/profile.ts';
import { userChangeRepository } from '../users/user-change-repository.ts';
import type { AuthDeps, Visitor } from './auth-deps.ts';
import { claimFirstAccount } from './first-account.ts';
import type { StoredInvitation } from './invitation-repository.ts';
import { hashInvitation } from './invitation-repository.ts';
import { invitations } from './invitations.ts';
import { sessionRepository } from './sessions/session-repository.ts';
import type { SignedInAnew } from './sessions/sessions.ts';
import { authSessions } from './sessions/sessions.ts';
import { addressAttempt, registrationsPerAddress, registrationWindowMs } from './sign-in.ts';

interface RegistrationInput {
  username: string;
  email: string;
  password: string;
  displayName: string | null;
  setupCode: string | undefined;
  /** The token of an invitation. */
  invitation: string | undefined;
}

/**
 * Creates an account and signs it in. The first account of an installation is an administrator's.
 * @throws Invalid for a password that is easily guessed, Refusal 403 where registration is closed
 * or the invitation is not valid, 409 that names what is taken, 429, 503 when too many sign in at
 * once
 */
export function registerAccount(deps: AuthDeps, visitor: Visitor, input: RegistrationInput): Promise<SignedInAnew> {
  return auditRefusals(deps.audit, 'registration_refused', visitor.source, {}, () =>
    addAndStartSession(deps, visitor, input),
  );
}

async function addAndStartSession(deps: AuthDeps, visitor: Visitor, input: RegistrationInput): Promise<SignedInAnew> {
  const { username, email } = input;
  refuseReserved(username);
  await refuseGuessable(input.password, input, 'password');
  await deps.rateLimits.consume(addressAttempt('registration', visitor, registrationsPerAddress, registrationWindowMs));
  await deps.setup.check(input.setupCode);
  const invitationHash = input.invitation === undefined ? null : hashInvitation(input.invitation);
  // The transaction claims it later. Without a valid invitation a caller neither learns which names
  // are taken nor causes a hash to be computed.
  if (invitationHash !== null) await invitations.requireGood(deps.database.reader, invitationHash, deps.clock.now());
  await refuseTaken(deps.database.reader, { username, email });
  const passwordHash = await deps.hasher.hash(input.password);
  const person = { username, email, displayName: input.displayName, passwordHash, isEmailVerified: false };
  const { signedIn, invitationId } = await takingNames(deps, { username, email }, async (transaction) => {
    const isFirst = await claimFirstAccount(transaction, input.setupCode);
    const entry = { isFirst, invitationHash, provider: null };
    const { id: userId, invitationId } = await addAccount(transaction, deps, person, entry);
    if (visitor.viewer !== undefined)
      await sessionRepository.rememberDevice(transaction, userId, visitor.viewer, deps.clock.now());
    const session = await authSessions.start(transaction, deps, {
      userId,
      device: visitor.device,
      isRemembered: false,
    });
    return { signedIn: { account: await readAccount(transaction, userId), session }, invitationId };
  });
  const { id: user, tier } = signedIn.account;
  const invited: AuditFacts = invitationId === null ? {} : { invitation: invitationId };
  deps.audit.write('registered', visitor.source, { user, tier, ...invited });
  return signedIn;
}

/**
 * Turns a conflict in the database into the refusal of a taken name, because two users can want one
 * name at the same moment.
 */
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

interface NewPerson {
  username: string;
  email: string;
  isEmailVerified: boolean;
  displayName: string | null;
  passwordHash: string | null;
}

/** The conditions under which somebody asks for an account. */
export interface Entry {
  /** The first account of an installation is an administrator's in any case. */
  isFirst: boolean;
  /** Hash of the invitation; null without one. */
  invitationHash: string | null;
  /** The provider that verified the person; null: they registered with a password. */
  provider: string | null;
}

/**
 * @returns id of the account, and id of the claimed invitation
 * @throws Refusal 403 for an invitation that is not valid, or without one where registration is
 * closed
 */
export async function addAccount(
  transaction: Executor,
  deps: Pick<AuthDeps, 'ids' | 'clock' | 'isRegistrationOpen'>,
  person: NewPerson,
  entry: Entry,
): Promise<{ id: string; invitationId: string | null }> {
  const now = deps.clock.now();
  const { tier, invitation } = await admit(transaction, deps, entry, now);
  const id = deps.ids.long();
  await userChangeRepository.insert(transaction, { id, ...person, tier, createdAt: now });
  const created = {
    actorId: id,
    kind: 'account_created',
    subject: person.username,
    detail: describeEntry(entry),
  } as const;
  await recordActivity(transaction, created, now);
  if (entry.isFirst) await settingRepository.startFirstRun(transaction, id, now);
  if (invitation !== null) await invitations.recordUse(transaction, invitation, id, now);
  return { id, invitationId: invitation?.id ?? null };
}

async function admit(
  transaction: Executor,
  { isRegistrationOpen }: Pick<AuthDeps, 'isRegistrationOpen'>,
  { isFirst, invitationHash }: Entry,
  now: number,
): Promise<{ tier: Tier; invitation: StoredInvitation | null }> {
  if (isFirst) return { tier: 'admin', invitation: null };
  if (invitationHash !== null) {
    const invitation = await invitations.claimGood(transaction, invitationHash, now);
    return { tier: invitation.tier, invitation };
  }
  if (!isRegistrationOpen) throw new Refusal('registration_closed');
  return { tier: limits.defaultTier, invitation: null };
}

function describeEntry({ isFirst, invitationHash, provider }: Entry): string {
  if (isFirst) return 'set-up code';
  return provider ?? (invitationHash === null ? 'registration' : 'invitation');
}
