import type { Invitation, InvitationLink, InvitationOffer } from '#contract/entities/account.ts';
import { limits } from '#contract/limits.ts';
import type { InvitedTier } from '#contract/rules/tiers.ts';
import type { Executor } from '../../database/tables.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import { auditRefusals } from '../../http/protection/audit.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { activityRepository } from '../activity/activity-repository.ts';
import { userChangeRepository } from '../users/user-change-repository.ts';
import type { AuthDeps, Visitor } from './auth-deps.ts';
import type { ListedInvitation, StoredInvitation } from './invitation-repository.ts';
import { hashInvitation, invitationRepository } from './invitation-repository.ts';
import { addressAttempt } from './sign-in.ts';

type InvitationDeps = Pick<AuthDeps, 'database' | 'clock' | 'ids'>;

const lifeMs = limits.invitationDays * 86_400_000;

const maxClosedListed = 100;

const openingsPerAddress = 30;

const alreadyUsed = 'has been used already';

/** Links by which an administrator lets somebody register. */
export const invitations = {
  /**
   * @param creatorId an administrator
   * @param origin the origin at which the guest reaches the site
   * @throws Refusal 429 while too many are open
   */
  async create(
    { database, clock, ids }: InvitationDeps,
    creatorId: string,
    tier: InvitedTier,
    origin: string,
  ): Promise<InvitationLink> {
    const token = ids.secret();
    const createdAt = clock.now();
    const invitation = { id: ids.long(), tier, createdAt, expiresAt: createdAt + lifeMs };
    await database.write(async (transaction) => {
      // The lock makes concurrent calls of one administrator count each other's invitations.
      await userChangeRepository.hold(transaction, creatorId);
      if ((await invitationRepository.countOpen(transaction, createdAt)) >= limits.openInvitations)
        throw new Refusal('rate_limited', {
          message: `At most ${limits.openInvitations} invitations can be open at once. Revoke one first.`,
        });
      await invitationRepository.insert(transaction, { ...invitation, createdBy: creatorId, token });
      await recordActivity(transaction, { actorId: creatorId, kind: 'invitation_created', detail: tier }, createdAt);
    });
    return { id: invitation.id, url: `${origin}/?invitation=${token}`, expires_at: toText(invitation.expiresAt) };
  },

  /** The open invitations and the recently used or expired ones, newest first. */
  async list({ database, clock }: InvitationDeps): Promise<Invitation[]> {
    const now = clock.now();
    const open = await invitationRepository.listOpen(database.reader, now);
    const closed = await invitationRepository.listClosed(database.reader, now, maxClosedListed);
    return [...open, ...closed].sort((a, b) => b.createdAt - a.createdAt).map(toInvitationReply);
  },

  /**
   * Revokes an invitation; a repeated call is no error.
   * @throws NotFound, Refusal 409 for one that was used
   */
  async revoke({ database, clock }: InvitationDeps, actorId: string, id: string): Promise<void> {
    const now = clock.now();
    await database.write(async (transaction) => {
      const isRevoked = await invitationRepository.markRevoked(transaction, id, now);
      const invitation = await invitationRepository.find(transaction, 'id', id);
      if (invitation === null) throw new NotFound('invitation');
      if (invitation.usedAt !== null)
        throw new Refusal('conflict', { message: 'Somebody has used this invitation already.' });
      if (!isRevoked) return;
      const { createdBy, tier } = invitation;
      const subject = createdBy === null ? null : await activityRepository.findUsername(transaction, createdBy);
      await recordActivity(transaction, { actorId, kind: 'invitation_revoked', subject, detail: tier }, now);
    });
  },

  /**
   * The plan that an invitation gives.
   * @throws Refusal 403 with the reason why it is not valid, 429
   */
  readOffer(deps: AuthDeps, visitor: Visitor, token: string): Promise<InvitationOffer> {
    return auditRefusals(deps.audit, 'invitation_refused', visitor.source, {}, async () => {
      await deps.rateLimits.consume(addressAttempt('invitation', visitor, openingsPerAddress));
      const invitation = await invitations.requireGood(deps.database.reader, hashInvitation(token), deps.clock.now());
      return { tier: invitation.tier, expires_at: new Date(invitation.expiresAt).toISOString() };
    });
  },

  /** @throws Refusal 403 with the reason why it is not valid */
  async requireGood(executor: Executor, hash: string, now: number): Promise<StoredInvitation> {
    const invitation = await invitationRepository.find(executor, 'token_hash', hash);
    if (invitation === null) throw refuseInvitation('is not known here');
    if (invitation.usedAt !== null) throw refuseInvitation(alreadyUsed);
    if (invitation.revokedAt !== null) throw refuseInvitation('was revoked');
    if (invitation.expiresAt <= now) throw refuseInvitation('has expired');
    return invitation;
  },

  /**
   * Claims an invitation in the transaction that creates the account.
   * @throws Refusal 403 with the reason why it is not valid
   */
  async claimGood(transaction: Executor, hash: string, now: number): Promise<StoredInvitation> {
    const claimed = await invitationRepository.claim(transaction, hash, now);
    if (claimed !== null) return claimed;
    await invitations.requireGood(transaction, hash, now);
    throw refuseInvitation(alreadyUsed);
  },

  /** Records the use in the same transaction, after the account is created. */
  async recordUse(
    transaction: Executor,
    { id, tier, createdBy }: StoredInvitation,
    userId: string,
    now: number,
  ): Promise<void> {
    await invitationRepository.setUser(transaction, id, userId);
    const subject = createdBy === null ? null : await activityRepository.findUsername(transaction, createdBy);
    await recordActivity(transaction, { actorId: userId, kind: 'invitation_used', subject, detail: tier }, now);
  },
};

function toInvitationReply(invitation: ListedInvitation): Invitation {
  return {
    id: invitation.id,
    tier: invitation.tier,
    created_at: toText(invitation.createdAt),
    created_by: invitation.creatorName,
    expires_at: toText(invitation.expiresAt),
    used_at: invitation.usedAt === null ? null : toText(invitation.usedAt),
    used_by: invitation.userName,
  };
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}

function refuseInvitation(why: string): Refusal {
  return new Refusal('invitation_invalid', { message: `This invitation ${why}. Please ask for another one.` });
}
