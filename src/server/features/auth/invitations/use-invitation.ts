import type { InvitationOffer } from '#contract/entities/people/invitation.ts';
import type { Executor } from '../../../database/tables.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { auditRefusals } from '../../../http/protection/audit.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { findUsername } from '../../activity/activity-repository.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import { addressTry } from '../password/sign-in-limits.ts';
import type { StoredInvitation } from './invitation-repository.ts';
import { claimInvitation, findInvitation, hashInvitation, setInvitationUser } from './invitation-repository.ts';

const openingsPerAddress = 30;

/** What an invitation gives. @throws Refusal 403 that says why it is not good, 429 */
export function openInvitation(deps: AuthDeps, visitor: Visitor, token: string): Promise<InvitationOffer> {
  return auditRefusals(deps.audit, 'invitation_refused', visitor.source, {}, async () => {
    await deps.attempts.consume(addressTry('invitation', visitor, openingsPerAddress));
    const invitation = await requireGoodInvitation(deps.database.reader, hashInvitation(token), deps.clock.now());
    return { tier: invitation.tier, expires_at: new Date(invitation.expiresAt).toISOString() };
  });
}

/** @throws Refusal 403 that says why it is not good */
export async function requireGoodInvitation(executor: Executor, hash: string, now: number): Promise<StoredInvitation> {
  const invitation = await findInvitation(executor, 'token_hash', hash);
  if (invitation === null) throw refuse('is not known here');
  if (invitation.usedAt !== null) throw refuse(used);
  if (invitation.revokedAt !== null) throw refuse('was revoked');
  if (invitation.expiresAt <= now) throw refuse('has expired');
  return invitation;
}

/** Part of the transaction that makes the account. @throws Refusal 403 that says why it is not good */
export async function claimGoodInvitation(transaction: Executor, hash: string, now: number): Promise<StoredInvitation> {
  const claimed = await claimInvitation(transaction, hash, now);
  if (claimed !== null) return claimed;
  await requireGoodInvitation(transaction, hash, now);
  throw refuse(used);
}

/** Part of the same transaction, once there is the account. */
export async function recordInvitationUse(
  transaction: Executor,
  { id, tier, createdBy }: StoredInvitation,
  userId: string,
  now: number,
): Promise<void> {
  await setInvitationUser(transaction, id, userId);
  const subject = createdBy === null ? null : await findUsername(transaction, createdBy);
  await recordActivity(transaction, { actorId: userId, kind: 'invitation_used', subject, detail: tier }, now);
}

const used = 'has been used already';

function refuse(why: string): Refusal {
  return new Refusal('invitation_invalid', { message: `This invitation ${why}. Please ask for another one.` });
}
