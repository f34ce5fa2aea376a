import { recovered } from '../platform/http/recovery.ts';
import { revisionReceived } from '../platform/http/send.ts';
import { createSignal } from '../platform/signal.ts';
import { accessToken } from '../platform/tokens/token-store.ts';

const names = ['profile', 'tags', 'config'] as const;

/** Raised when an answer tells that something has changed on the server since the answer before it (§7 Conventions). */
export const changedOnServer = { profile: createSignal(), tags: createSignal(), config: createSignal() };

/** The counters of the last answer; none since somebody came or went. */
let last: string[] | null = null;

/** Compares the counters that come beside each answer. Returns what stops it. */
export function subscribeRevisions(): () => void {
  resetRevisions();
  return revisionReceived.listen(compare);
}

/** The next answer is compared with nothing: the counters of one person say nothing of another's. */
export function resetRevisions(): void {
  last = null;
}

/** An answer to a question without a token counts for nobody while somebody is signed in. */
function compare({ revision, isSignedIn }: { revision: string; isSignedIn: boolean }): void {
  if (isSignedIn !== (accessToken() !== null)) return;
  const before = last;
  const counters = revision.split('.');
  last = counters;
  if (before === null) return;
  names.forEach((name, at) => {
    if (before[at] !== counters[at]) changedOnServer[name].emit();
  });
  if (before.join() !== counters.join()) recovered.emit();
}
