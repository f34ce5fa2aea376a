import { subscribe } from 'valtio/vanilla';
import { session } from './session.ts';

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
