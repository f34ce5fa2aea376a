import type { UserReply } from '#contract/entities/people/user.ts';
import { featureNames, isTier } from '#contract/rules/tiers.ts';
import { localStore } from '../platform/capabilities.ts';

const key = 'fourfold.profile';

/** Stores who was signed in here last, for starts without a network (§6 Features); null removes it. */
export function storeLastProfile(profile: UserReply | null): void {
  try {
    if (profile) localStore()?.setItem(key, JSON.stringify(profile));
    else localStore()?.removeItem(key);
  } catch {
    // Storage is full or blocked: the next start without a network is anonymous.
  }
}

/** Null where nobody was signed in, or the stored value is invalid. */
export function readLastProfile(): UserReply | null {
  try {
    const kept = JSON.parse(localStore()?.getItem(key) ?? 'null') as UserReply | null;
    return kept && isWhole(kept) ? kept : null;
  } catch {
    return null;
  }
}

function isWhole({ user, features }: UserReply): boolean {
  const isNamed = typeof user.id === 'string' && typeof user.username === 'string' && isTier(user.effective_tier);
  return (
    isNamed &&
    Array.isArray(user.settings.blocked_tag_ids) &&
    featureNames.every((name) => typeof features[name] === 'boolean')
  );
}
