import type { UserList } from '#contract/entities/user.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import { isSameAddress } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { Account } from '../users/account.ts';
import { emailChange, toUser } from '../users/account.ts';
import type { PasswordHasher } from '../users/password-hasher.ts';
import { refuseGuessable } from '../users/password-hasher.ts';
import type { UserDeps } from '../users/profile.ts';
import { changeAccount, emptyToNull, readAccount, refuseTaken, requireOtherAdmin } from '../users/profile.ts';
import { userChangeRepository } from '../users/user-change-repository.ts';
import { userRepository } from '../users/user-repository.ts';

export interface UserAdminDeps extends UserDeps {
  hasher: PasswordHasher;
}

interface UserPage {
  search?: string | undefined;
  tier?: Tier | undefined;
  page: number;
  limit: number;
}

/** Accounts, as administrators read and change them. */
export const userAdmin = {
  /** Users by name. */
  async readPage(deps: UserAdminDeps, { search, tier, page, limit }: UserPage): Promise<UserList> {
    const { database, clock } = deps;
    const now = clock.now();
    const filter = { search, tier, now, dialect: database.dialect };
    const total = await userRepository.count(database.lists, filter);
    const accounts = await userRepository.list(database.lists, filter, { limit, offset: (page - 1) * limit });
    return {
      users: accounts.map((account) => toUser(account, deps)),
      total,
      total_pages: lastPageOf(total, limit),
      page,
      limit,
    };
  },

  /**
   * Changes a user. A new password ends all of the person's sessions.
   * @throws NotFound, Invalid for a password that is easily guessed, Refusal 403 for one's own
   * password or address, 409 for an address that is taken
   */
  async change(deps: UserAdminDeps, actorId: string, id: string, change: UserChange): Promise<Account> {
    const { displayName, email, newPassword } = change;
    if (id === actorId && newPassword !== undefined) throw needsProof();
    if (newPassword !== undefined)
      await refuseGuessable(newPassword, await readAccount(deps.database.reader, id), 'new_password');
    const passwordHash = newPassword === undefined ? undefined : await deps.hasher.hash(newPassword);
    return changeAccount(deps, id, async (transaction, before) => {
      if (id === actorId && email !== undefined && !isSameAddress(before.email, email)) throw needsProof();
      if (email !== undefined) await refuseTaken(transaction, { email }, id);
      if (passwordHash !== undefined) await userChangeRepository.deleteSessions(transaction, id);
      await recordUserChange(transaction, actorId, before, change, deps.clock.now());
      return {
        displayName: emptyToNull(displayName),
        ...emailChange(before, email),
        ...(passwordHash === undefined ? {} : { passwordHash }),
      };
    });
  },

  /** @throws NotFound, Refusal 403 for one's own account, 409 for the last administrator */
  async delete({ database, changes, clock }: UserAdminDeps, actorId: string, id: string): Promise<void> {
    await database.write(async (transaction) => {
      await requireOtherAdmin(transaction, id, null);
      if (id === actorId) throw needsProof();
      const { username: subject } = await readAccount(transaction, id);
      await recordActivity(transaction, { actorId, kind: 'account_deleted', subject }, clock.now());
      await userChangeRepository.delete(transaction, id);
    });
    changes.notify(id);
  },

  /**
   * Signs the person out everywhere.
   * @throws NotFound
   */
  async endSessions({ database, changes, clock }: UserAdminDeps, actorId: string, id: string): Promise<void> {
    await database.write(async (transaction) => {
      const { username: subject } = await readAccount(transaction, id);
      await userChangeRepository.deleteSessions(transaction, id);
      await recordActivity(transaction, { actorId, kind: 'sessions_ended', subject }, clock.now());
    });
    changes.notify(id);
  },

  /** @throws NotFound, Refusal 409 for the last administrator */
  async changeSubscription(
    { database, changes, clock }: UserAdminDeps,
    actorId: string,
    id: string,
    subscription: Subscription,
  ): Promise<Account> {
    const account = await database.write(async (transaction) => {
      // Must lock before any other row: two administrators who lower each other would deadlock.
      await requireOtherAdmin(transaction, id, subscription);
      const { tier, expiresAt: tierExpiresAt } = subscription;
      await userChangeRepository.update(transaction, id, { tier, tierExpiresAt });
      const after = await readAccount(transaction, id);
      const detail = subscriptionText(subscription);
      await recordActivity(
        transaction,
        { actorId, kind: 'tier_changed', subject: after.username, detail },
        clock.now(),
      );
      return after;
    });
    changes.notify(id);
    return account;
  },
};

/** One's own account requires the proof that the calls of the profile ask for (0028). */
function needsProof(): Refusal {
  return new Refusal('forbidden', {
    message: 'Profile changes your own password and address and deletes your account.',
  });
}

/** The fields that an administrator changes. */
interface UserChange {
  displayName?: string | null | undefined;
  email?: string | undefined;
  newPassword?: string | undefined;
}

interface Subscription {
  tier: Tier;
  /** Epoch milliseconds; null: no end. */
  expiresAt: number | null;
}

/** Records which fields changed, without their values, in the transaction that changes them. */
async function recordUserChange(
  transaction: Executor,
  actorId: string,
  before: Account,
  { displayName, email, newPassword }: UserChange,
  now: number,
): Promise<void> {
  const subject = before.username;
  const fields = [
    displayName !== undefined && emptyToNull(displayName) !== before.displayName ? ['display name'] : [],
    email !== undefined && email !== before.email ? ['email'] : [],
  ].flat();
  if (fields.length > 0)
    await recordActivity(transaction, { actorId, kind: 'account_changed', subject, detail: fields.join(', ') }, now);
  if (newPassword !== undefined) await recordActivity(transaction, { actorId, kind: 'password_set', subject }, now);
}

/** A text such as `pro until 2026-12-31`, with the day in UTC. */
function subscriptionText({ tier, expiresAt }: Subscription): string {
  return expiresAt === null ? tier : `${tier} until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
}
