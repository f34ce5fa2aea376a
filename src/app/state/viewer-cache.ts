import { subscribe } from 'valtio/vanilla';
import { claimMark } from '#device/viewer.ts';
import { refreshToken, setViewerMark } from '../platform/http/token-store.ts';
import { session } from './session.ts';

/** User id; null: anonymous; undefined: not known yet. */
export type Viewer = string | null | undefined;

let viewer: Viewer;
/** One after another. */
let claims = Promise.resolve();

/**
 * Caches lists for whoever is here, and clears them when somebody else is: at sign-in, sign-out and the end of a
 * session, in this tab or another. Returns what stops it.
 */
export function subscribeViewerCache(): () => void {
  onSession();
  // Not batched: no call may go out with the mark of the viewer before.
  const stop = subscribe(session, onSession, true);
  return () => {
    stop();
    changeTo(undefined);
  };
}

function onSession(): void {
  const next = currentViewer();
  if (next !== viewer) changeTo(next);
}

function changeTo(next: Viewer): void {
  viewer = next;
  setViewerMark(null);
  if (next === undefined) return;
  claims = claims.then(() => claim(next));
}

/** Who is here only between two properties of one change claims nothing. */
async function claim(userId: string | null): Promise<void> {
  if (viewer !== userId) return;
  const mark = await claimMark(userId).catch(() => null);
  if (viewer === userId) setViewerMark(mark);
}

/** Who is here. A start without a network is anonymous where no token is stored. */
export function currentViewer(): Viewer {
  const { phase, user } = session;
  if (user) return user.id;
  return phase === 'known' || (phase === 'failed' && refreshToken() === null) ? null : undefined;
}
