import { limits } from '#contract/limits.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { insertAccount } from '../users/user-change-repository.ts';
import type { AuthDeps } from './auth-deps.ts';
import type { StoredInvitation } from './invitations/invitation-repository.ts';
import { claimGoodInvitation, recordInvitationUse } from './invitations/use-invitation.ts';

export interface NewPerson {
  username: string;
  email: string;
  isEmailVerified: boolean;
  displayName: string | null;
  passwordHash: string | null;
}

/** What somebody comes with who wants an account. */
export interface Entry {
  /** The first account of an installation is an administrator's, whatever else they come with. */
  isFirst: boolean;
  /** Of their invitation; null without one. */
  invitationHash: string | null;
  /** Who vouches for them; null: they registered with a password. */
  provider: string | null;
}

/**
 * @returns its id, and that of the invitation that let the person in
 * @throws Refusal 403 for an invitation that is not good, and where registration is closed without one
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
  await insertAccount(transaction, { id, ...person, tier, createdAt: now });
  const created = { actorId: id, kind: 'account_created', subject: person.username, detail: wayOf(entry) } as const;
  await recordActivity(transaction, created, now);
  if (invitation !== null) await recordInvitationUse(transaction, invitation, id, now);
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
    const invitation = await claimGoodInvitation(transaction, invitationHash, now);
    return { tier: invitation.tier, invitation };
  }
  if (!isRegistrationOpen) throw new Refusal('registration_closed');
  return { tier: limits.defaultTier, invitation: null };
}

function wayOf({ isFirst, invitationHash, provider }: Entry): string {
  if (isFirst) return 'set-up code';
  return provider ?? (invitationHash === null ? 'registration' : 'invitation');
}
