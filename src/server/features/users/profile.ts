import type { z } from 'zod';
import type { blocklistUpdateSchema, Settings } from '#contract/entities/user.ts';
import { limits } from '#contract/limits.ts';
import { checkBlocklistSize } from '#contract/rules/tag-filter.ts';
import { nameKey, rebaseList } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { checkEulaVersion } from '#contract/rules/upload-file.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { Invalid, NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { LiveSettings } from '../../live-settings.ts';
import type { Account, FindSuccessors } from './account.ts';
import { emailChange, followMerges, tierOf } from './account.ts';
import type { PeopleLog } from './people-log.ts';
import type { AccountChange } from './user-change-repository.ts';
import { userChangeRepository } from './user-change-repository.ts';
import { userRepository } from './user-repository.ts';

export interface UserDeps {
  database: Database;
  clock: Clock;
  changes: Pick<PeopleLog, 'notify'>;
  settings: LiveSettings;
  findSuccessors: FindSuccessors;
}

export interface ProfileChange {
  displayName?: string | null | undefined;
  email?: string | undefined;
  removesAvatar?: boolean;
  settings?: { [Name in keyof Settings]?: Settings[Name] | undefined } | undefined;
}

/** @throws NotFound */
export async function readAccount(executor: Executor, id: string): Promise<Account> {
  const account = await userRepository.find(executor, id);
  if (account === null) throw new NotFound('user');
  return account;
}

/**
 * @param recheck throws if the person may not change this any more
 * @throws Refusal 403 for a custom skip duration without the feature, 409 for an address that is
 * taken
 */
export async function changeProfile(
  deps: UserDeps,
  id: string,
  change: ProfileChange,
  recheck?: (transaction: Executor) => Promise<void>,
): Promise<Account> {
  return changeAccount(deps, id, async (transaction, account) => {
    await recheck?.(transaction);
    const settings = mergeSettings(account.settings, change.settings);
    refuseStep(account, settings, deps.clock.now());
    if (change.email !== undefined) await refuseTaken(transaction, { email: change.email }, id);
    if (change.removesAvatar) await userChangeRepository.deleteAvatar(transaction, id);
    return { displayName: emptyToNull(change.displayName), ...emailChange(account, change.email), settings };
  });
}

/**
 * @param given the version that the person has read; absent: the present one
 * @returns the accepted version
 * @throws Invalid for any other version than the present one
 */
export async function acceptEula(deps: UserDeps, id: string, given: string | undefined): Promise<string> {
  const present = deps.settings.env.agreementVersion;
  const problem = given === undefined ? null : checkEulaVersion(given, present);
  if (problem !== null) throw new Invalid([{ field: 'version', message: problem }]);
  await changeAccount(deps, id, async () => ({ eulaVersion: present }));
  return present;
}

/** @throws Invalid when too many are blocked with those of another device */
export async function blockTags(
  deps: UserDeps,
  id: string,
  { blocked_tag_ids: wanted, known }: z.output<typeof blocklistUpdateSchema>,
): Promise<Account> {
  return changeAccount(deps, id, async (transaction, { settings }) => {
    const stored = settings.blocked_tag_ids;
    const named = [...stored, ...wanted, ...(known ?? [])];
    const successors = await deps.findSuccessors(transaction, named);
    const follow = (ids: readonly string[]) => followMerges(ids, successors);
    const blocked = rebaseList(follow(stored), follow(wanted), known && follow(known));
    const problem = checkBlocklistSize(blocked);
    if (problem !== null) throw new Invalid([{ field: 'blocked_tag_ids', message: problem }]);
    // The ids of merged tags stay: an undone merge brings such a tag back, and it is blocked still.
    const kept = blocked.flatMap((tagId) => {
      const merged = stored.filter((one) => successors.get(one) === tagId);
      return merged.length > 0 && !stored.includes(tagId) ? merged : [...merged, tagId];
    });
    return { settings: { ...settings, blocked_tag_ids: kept } };
  });
}

/**
 * Reads and changes the row in one transaction.
 * @throws NotFound, Refusal 409 for an address that somebody else takes at the same moment
 */
export async function changeAccount(
  { database, changes }: Pick<UserDeps, 'database' | 'changes'>,
  id: string,
  decide: (transaction: Executor, account: Account) => Promise<AccountChange>,
): Promise<Account> {
  let change: AccountChange = {};
  const write = async (transaction: Executor) => {
    await userChangeRepository.hold(transaction, id);
    change = await decide(transaction, await readAccount(transaction, id));
    await userChangeRepository.update(transaction, id, change);
    return readAccount(transaction, id);
  };
  const account = await database.write(write).catch(async (error: unknown) => {
    const { email } = change;
    const isTaken = database.dialect.isConflict(error) && email !== undefined;
    if (isTaken) await refuseTaken(database.reader, { email }, id);
    throw error;
  });
  changes.notify(id);
  return account;
}

/** Turns an empty display name into null, which removes it. */
export function emptyToNull(name: string | null | undefined): string | null | undefined {
  return name === '' ? null : name;
}

function mergeSettings(stored: Settings, change: ProfileChange['settings'] = {}): Settings {
  return {
    skip_duration_seconds: change.skip_duration_seconds ?? stored.skip_duration_seconds,
    blocked_tag_ids: change.blocked_tag_ids ?? stored.blocked_tag_ids,
    shortcut_keys: change.shortcut_keys ?? stored.shortcut_keys,
    subtitle_language: change.subtitle_language === undefined ? stored.subtitle_language : change.subtitle_language,
    shuffle: change.shuffle ?? stored.shuffle,
  };
}

/**
 * Refuses a skip duration that the tier does not allow. A value saved under a higher tier stays,
 * and takes effect again with that tier.
 */
function refuseStep(account: Account, settings: Settings, now: number): void {
  const step = settings.skip_duration_seconds;
  const isFree = step === limits.skipDurationSeconds || step === account.settings.skip_duration_seconds;
  if (!isFree && !featuresByTier[tierOf(account, now)].customizable_skip_limits) throw new Refusal('forbidden');
}

/** Usernames that would let a user pose as the site itself. */
const reservedNames: ReadonlySet<string> = new Set([
  'admin',
  'administrator',
  'anonymous',
  'fourfold',
  'moderator',
  'owner',
  'root',
  'support',
  'system',
  'webmaster',
]);

const takenSentences = { username: 'This username is already taken', email: 'This email is already in use' };

/** @throws Refusal 409 that names each taken field */
export async function refuseTaken(
  executor: Executor,
  wanted: { username?: string; email?: string },
  except = '',
): Promise<void> {
  const taken = await userRepository.findTaken(executor, wanted, except);
  if (taken.length > 0) throw refuseFields(taken.map((field) => ({ field, message: takenSentences[field] })));
}

/** @throws Refusal 409 */
export function refuseReserved(username: string): void {
  if (isReserved(username)) throw refuseFields([{ field: 'username', message: 'This username is reserved' }]);
}

export function isReserved(username: string): boolean {
  return reservedNames.has(nameKey(username));
}

function refuseFields(details: { field: string; message: string }[]): Refusal {
  return new Refusal('conflict', { message: details[0]?.message, details });
}

/**
 * Requires that an administrator without an expiry remains. Runs in the transaction that deletes or
 * lowers one.
 * @param becomes the tier that the person will have; null: the account is deleted
 * @throws Refusal 409
 */
export async function requireOtherAdmin(
  transaction: Executor,
  userId: string,
  becomes: { tier: Tier; expiresAt: number | null } | null,
): Promise<void> {
  if (becomes?.tier === 'admin' && becomes.expiresAt === null) return;
  const admins = await userRepository.holdLastingAdmins(transaction);
  const isLast = admins.length === 1 && admins[0] === userId;
  if (isLast)
    throw new Refusal('conflict', { message: 'This is the last administrator. Make somebody else one first.' });
}
