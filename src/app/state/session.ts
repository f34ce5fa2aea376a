import { proxy, subscribe } from 'valtio/vanilla';
import type { User } from '#contract/entities/user.ts';
import type { Features } from '#contract/rules/tiers.ts';

interface SessionState {
  /** §4 Auth: loading until the first profile; failed when it could not be read. */
  phase: 'loading' | 'known' | 'failed';
  /** Who is signed in on this browser; null: an anonymous viewer. */
  user: User | null;
  /**
   * The viewer's features (§6 Features); null until the server has answered: `may` then applies
   * those of anonymous viewers.
   */
  features: Features | null;
}

export const session = proxy<SessionState>({ phase: 'loading', user: null, features: null });

/** Who may see a part of the app (§6). */
export type ViewAudience = 'everybody' | 'signed-in' | 'admin';

export function isAmong(user: Pick<User, 'effective_tier'> | null, audience: ViewAudience): boolean {
  if (audience === 'everybody') return true;
  return user !== null && (audience === 'signed-in' || user.effective_tier === 'admin');
}

/**
 * Calls back when another user signs in, or nobody is signed in any more; not for the first known
 * user, nor for changes of the same one. Returns a function that stops it.
 */
export function onUserChange(listener: () => void): () => void {
  let known = personOf(session);
  return subscribe(session, () => {
    const person = personOf(session);
    if (person === undefined || person === known) return;
    const isFirst = known === undefined;
    known = person;
    if (!isFirst) listener();
  });
}

/** Null: anonymous; undefined: not known yet. */
function personOf({ phase, user }: SessionState): string | null | undefined {
  return phase === 'known' ? (user?.id ?? null) : undefined;
}

/** A session or its snapshot. */
export interface BlocklistOwner {
  readonly user: { readonly settings: { readonly blocked_tag_ids: readonly string[] } } | null;
}

const none: readonly string[] = [];

/**
 * The channels that the signed-in user has blocked. They are part of the profile: the server's list
 * is authoritative, and the last known profile of this device is its cache until the user signs out
 * (§4 Blocklist).
 */
export function blockedTagIds({ user }: BlocklistOwner = session): readonly string[] {
  return user?.settings.blocked_tag_ids ?? none;
}

/** Whether a video with these channels is blocked: one blocked channel suffices. */
export function isBlocked({ tagIds }: { readonly tagIds: readonly string[] }): boolean {
  const blocked = blockedTagIds();
  return tagIds.some((id) => blocked.includes(id));
}

/**
 * Calls back after every change of the blocklist, on this device or elsewhere. Returns a function
 * that stops it.
 */
export function onBlocklistChange(listener: () => void): () => void {
  let known = blockedTagIds().join();
  return subscribe(session, () => {
    const ids = blockedTagIds().join();
    if (ids === known) return;
    known = ids;
    listener();
  });
}

export function resetSession(): void {
  Object.assign(session, { phase: 'loading', user: null, features: null });
}
