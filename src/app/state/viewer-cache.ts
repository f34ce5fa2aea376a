import { subscribe } from 'valtio/vanilla';
import { deviceDatabase } from '#device/device-database.ts';
import { claimMark } from '#device/filter-cache.ts';
import { refreshToken, setViewerMark } from '../platform/http/token-store.ts';
import { session } from './session.ts';

/** User id; null: anonymous; undefined: not known yet. */
export type ViewerId = string | null | undefined;

/** The owner of cached lists. Another plan shows other channels. */
interface Owner {
  userId: string | null;
  tier: string | null;
}

/** The viewer whose lists are cached; undefined: not known yet. */
let owner: Owner | undefined;
/** Claims run one after another. */
let claims = Promise.resolve();

/**
 * Caches lists for the current viewer, and clears them when the viewer changes: at sign-in,
 * sign-out and the end of a session, in this tab or another. Returns a function that stops it.
 */
export function subscribeViewerCache(): () => void {
  onSession();
  // The subscription is not batched: no call may carry the mark of the previous viewer.
  const stop = subscribe(session, onSession, true);
  return () => {
    stop();
    changeTo(undefined);
  };
}

function onSession(): void {
  const next = currentOwner();
  if (next?.userId !== owner?.userId || next?.tier !== owner?.tier) changeTo(next);
}

function changeTo(next: Owner | undefined): void {
  owner = next;
  setViewerMark(null);
  if (next === undefined) return;
  claims = claims.then(() => claim(next));
}

/** A viewer that exists only between two property changes of one update claims nothing. */
async function claim(claimed: Owner): Promise<void> {
  if (owner !== claimed) return;
  const claiming = claimMark(claimed.userId, claimed.tier).catch(() => null);
  const [mark, isStored] = await Promise.all([claiming, deviceDatabase.isLasting()]);
  if (owner !== claimed) return;
  setViewerMark(mark);
  if (!isStored) void claimOnceStored(claimed);
}

/** A database that opens late has the mark of the stored lists, which memory did not know. */
async function claimOnceStored(claimed: Owner): Promise<void> {
  const isOpen = await deviceDatabase.runStored(
    async () => true,
    () => false,
  );
  if (isOpen) claims = claims.then(() => claim(claimed));
}

function currentOwner(): Owner | undefined {
  const userId = currentViewer();
  return userId === undefined ? undefined : { userId, tier: session.user?.effective_tier ?? null };
}

/** The current viewer. A start without a network is anonymous when no token is stored. */
export function currentViewer(): ViewerId {
  const { phase, user } = session;
  if (user) return user.id;
  return phase === 'known' || (phase === 'failed' && refreshToken() === null) ? null : undefined;
}

/** Returns a function that says whether the viewer is still the same: an answer may come late. */
export function watchViewer(): () => boolean {
  const viewer = currentViewer();
  return () => currentViewer() === viewer;
}
