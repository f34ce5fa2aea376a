import { subscribe } from 'valtio/vanilla';
import { session } from './session.ts';

/** A session, also as a snapshot. */
export interface BlocklistOwner {
  readonly user: { readonly settings: { readonly blocked_tag_ids: readonly string[] } } | null;
}

const none: readonly string[] = [];

/**
 * Channels that the signed-in user has blocked. They travel with the profile: the server's list is the truth, and the
 * last known profile of this device is its cache until the user signs out (§4 Blocklist).
 */
export function blockedTagIds({ user }: BlocklistOwner = session): readonly string[] {
  return user?.settings.blocked_tag_ids ?? none;
}

/** Whether a video with these channels is blocked: one blocked channel suffices. */
export function isBlocked({ tagIds }: { readonly tagIds: readonly string[] }): boolean {
  const blocked = blockedTagIds();
  return tagIds.some((id) => blocked.includes(id));
}

/** Calls after every change of the blocklist, on this device or elsewhere. Returns what stops it. */
export function onBlocklistChange(listener: () => void): () => void {
  let known = blockedTagIds().join();
  return subscribe(session, () => {
    const ids = blockedTagIds().join();
    if (ids === known) return;
    known = ids;
    listener();
  });
}
