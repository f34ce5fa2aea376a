import { revisionReceived } from '../platform/http/send.ts';
import { accessToken } from '../platform/http/token-store.ts';
import { recovered } from '../platform/link.ts';
import { createSignal } from '../platform/signal.ts';

const names = ['profile', 'tags', 'config'] as const;

/** Raised when a counter differs from that of the previous answer (§7 Conventions). */
export const changedOnServer = { profile: createSignal(), tags: createSignal(), config: createSignal() };

/** The counters of the last answer; null after a sign-in or sign-out. */
let last: string[] | null = null;

/**
 * Compares the counters of each answer with the previous ones. Returns a function that stops it.
 */
export function subscribeRevisions(): () => void {
  resetRevisions();
  return revisionReceived.listen(compare);
}

/** Forgets the counters: those of different users are not comparable. */
export function resetRevisions(): void {
  last = null;
}

/**
 * Compares the counters of an answer. While a user is signed in, answers to requests without a
 * token are ignored.
 */
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
