import type { Tier } from '#contract/rules/tiers.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { holdLastingAdmins } from './user-repository.ts';

/**
 * Somebody has to be left who can administrate, without an end. Part of the transaction that deletes or lowers.
 * @param becomes the tier that the person will have; null when they go
 * @throws Refusal 409
 */
export async function requireOtherAdmin(
  transaction: Executor,
  userId: string,
  becomes: { tier: Tier; expiresAt: number | null } | null,
): Promise<void> {
  if (becomes?.tier === 'admin' && becomes.expiresAt === null) return;
  const admins = await holdLastingAdmins(transaction);
  const isLast = admins.length === 1 && admins[0] === userId;
  if (isLast)
    throw new Refusal('conflict', { message: 'This is the last administrator. Make somebody else one first.' });
}
