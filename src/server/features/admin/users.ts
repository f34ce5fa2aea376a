import type { UserList } from '#contract/entities/people/administration.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
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
import { deleteUserRow } from '../users/user-change-repository.ts';
import { toUser } from '../users/user-reply.ts';

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

export interface UserChange {
  displayName?: string | null | undefined;
  email?: string | undefined;
  newPassword?: string | undefined;
}

/**
 * With a new password the person has to sign in again everywhere. @throws NotFound, Invalid for a password that is
 * easily guessed, Refusal 409 for an address that is taken
 */
export async function changeUser(
  deps: UserAdminDeps,
  id: string,
  { displayName, email, newPassword }: UserChange,
): Promise<Account> {
  if (newPassword !== undefined)
    await refuseGuessable(newPassword, await readAccount(deps.database.reader, id), 'new_password');
  const passwordHash = newPassword === undefined ? undefined : await deps.hasher.hash(newPassword);
  return changeAccount(deps, id, async (transaction, before) => {
    if (email !== undefined) await refuseTaken(transaction, { email }, id);
    if (passwordHash !== undefined) await deleteSessionsOf(transaction, id);
    return {
      displayName: emptyToNull(displayName),
      ...emailChange(before, email),
      ...(passwordHash === undefined ? {} : { passwordHash }),
    };
  });
}

/** @throws NotFound, Refusal 409 for the last administrator */
export async function deleteUser({ database, changes }: UserAdminDeps, id: string): Promise<void> {
  const isDeleted = await database.write(async (transaction) => {
    await requireOtherAdmin(transaction, id, null);
    return deleteUserRow(transaction, id);
  });
  if (!isDeleted) throw new NotFound('user');
  changes.notify(id);
}

/** @param expiresAt epoch milliseconds; null: no end. @throws NotFound, Refusal 409 for the last administrator */
export async function changeSubscription(
  deps: UserAdminDeps,
  id: string,
  tier: Tier,
  expiresAt: number | null,
): Promise<Account> {
  return changeAccount(deps, id, async (transaction) => {
    await requireOtherAdmin(transaction, id, { tier, expiresAt });
    return { tier, tierExpiresAt: expiresAt };
  });
}
