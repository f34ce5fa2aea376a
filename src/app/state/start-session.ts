import { finishStoredVisit } from './providers/providers.ts';
import { subscribeSessionEvents } from './session-events.ts';
import { subscribeViewerCache } from './viewer-cache.ts';
import { watchWaitingWork } from './waiting-work.ts';

/** A stored result of a provider comes first: it may change who is signed in. */
export function startSession(): void {
  finishStoredVisit();
  subscribeSessionEvents();
  subscribeViewerCache();
  watchWaitingWork();
}
