import { watchOutbox } from './outbox/watch-outbox.ts';
import { finishStoredVisit } from './providers.ts';
import { subscribeSessionEvents } from './session-events.ts';
import { subscribeViewerCache } from './viewer-cache.ts';

/** A stored result of a provider comes first: it may change who is signed in. */
export function startSession(): void {
  finishStoredVisit();
  subscribeSessionEvents();
  subscribeViewerCache();
  watchOutbox();
}
