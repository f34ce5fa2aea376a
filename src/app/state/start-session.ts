import { followSession } from './follow-session.ts';
import { settleVisitLeft } from './providers.ts';

/** What a visit to a provider has left comes first: who is here may be somebody else then. */
export function startSession(): void {
  settleVisitLeft();
  followSession();
}
