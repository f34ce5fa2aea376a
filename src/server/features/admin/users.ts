import type { UserList } from '#contract/entities/people/administration.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { Account } from '../users/account.ts';
import { emailChange } from '../users/account.ts';
import { countAccounts, listAccounts } from '../users/account-list-repository.ts';
import { refuseGuessable } from '../users/guessable-password.ts';
import { requireOtherAdmin } from '../users/last-admin.ts';
import type { PasswordHasher } from '../users/password-hasher.ts';
import type { UserDeps } from '../users/profile.ts';
import { changeAccount, emptyToNull, readAccount } from '../users/profile.ts';
import { deleteSessionsOf } from '../users/session-end-repository.ts';
import { refuseTaken } from '../users/taken-names.ts';
import { deleteUserRow, updateAccount } from '../users/user-change-repository.ts';
import { toUser } from '../users/user-reply.ts';
import type { Subscription, UserChange } from './user-activity.ts';
import { recordUserChange, subscriptionText } from './user-activity.ts';

export interface UserAdminDeps extends UserDeps {
  hasher: PasswordHasher;
}

export interface UserPage {
  search?: string | undefined;
  tier?: Tier | undefined;
  page: number;
  limit: number;
}

/** By name. */
export async function readUserPage(
  { database, clock }: UserAdminDeps,
  { search, tier, page, limit }: UserPage,
): Promise<UserList> {
  const now = clock.now();
  const filter = { search, tier, now };
  const total = await countAccounts(database.reader, filter);
  const accounts = await listAccounts(database.reader, filter, { limit, offset: (page - 1) * limit });
  return {
    users: accounts.map((account) => toUser(account, now)),
    total,
    total_pages: lastPageOf(total, limit),
    page,
    limit,
  };
}

/**
 * With a new password the person has to sign in again everywhere. @throws NotFound, Invalid for a password that is
 * easily guessed, Refusal 409 for an address that is taken
 */
export async function changeUser(
  deps: UserAdminDeps,
  actorId: string,
  id: string,
  change: UserChange,
): Promise<Account> {
  const { displayName, email, newPassword } = change;
  if (newPassword !== undefined)
    await refuseGuessable(newPassword, await readAccount(deps.database.reader, id), 'new_password');
  const passwordHash = newPassword === undefined ? undefined : await deps.hasher.hash(newPassword);
  return changeAccount(deps, id, async (transaction, before) => {
    if (email !== undefined) await refuseTaken(transaction, { email }, id);
    if (passwordHash !== undefined) await deleteSessionsOf(transaction, id);
    await recordUserChange(transaction, actorId, before, change, deps.clock.now());
    return {
      displayName: emptyToNull(displayName),
      ...emailChange(before, email),
      ...(passwordHash === undefined ? {} : { passwordHash }),
    };
  });
}

/** @throws NotFound, Refusal 409 for the last administrator */
export async function deleteUser(
  { database, changes, clock }: UserAdminDeps,
  actorId: string,
  id: string,
): Promise<void> {
  await database.write(async (transaction) => {
    await requireOtherAdmin(transaction, id, null);
    const { username: subject } = await readAccount(transaction, id);
    await recordActivity(transaction, { actorId, kind: 'account_deleted', subject }, clock.now());
    await deleteUserRow(transaction, id);
  });
  changes.notify(id);
}

/** The person is signed out everywhere. @throws NotFound */
export async function endUserSessions(
  { database, changes, clock }: UserAdminDeps,
  actorId: string,
  id: string,
): Promise<void> {
  await database.write(async (transaction) => {
    const { username: subject } = await readAccount(transaction, id);
    await deleteSessionsOf(transaction, id);
    await recordActivity(transaction, { actorId, kind: 'sessions_ended', subject }, clock.now());
  });
  changes.notify(id);
}

/** @throws NotFound, Refusal 409 for the last administrator */
export async function changeSubscription(
  { database, changes, clock }: UserAdminDeps,
  actorId: string,
  id: string,
  subscription: Subscription,
): Promise<Account> {
  const account = await database.write(async (transaction) => {
    // Before any other row is held: two administrators who lower each other would wait for one another.
    await requireOtherAdmin(transaction, id, subscription);
    const { tier, expiresAt: tierExpiresAt } = subscription;
    await updateAccount(transaction, id, { tier, tierExpiresAt });
    const after = await readAccount(transaction, id);
    const detail = subscriptionText(subscription);
    await recordActivity(transaction, { actorId, kind: 'tier_changed', subject: after.username, detail }, clock.now());
    return after;
  });
  changes.notify(id);
  return account;
}
