import { finishStoredVisit } from './providers.ts';
import { subscribeSessionEvents } from './session-events.ts';

/** What a visit to a provider has left comes first: who is here may be somebody else then. */
export function startSession(): void {
  finishStoredVisit();
  subscribeSessionEvents();
}
