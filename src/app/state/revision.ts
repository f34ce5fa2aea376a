import { findHiddenVideos } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { every } from '#device/timers.ts';
import { call } from '../platform/http/call.ts';
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

/**
 * Asks from time to time, and after each change of what the viewer may see, whether a video on
 * screen was hidden or is withheld by now, and calls back then. The feed asks for its own videos.
 * Returns a function that stops it.
 */
export function watchHiding(id: string, onHidden: () => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ask = async () => {
    // If no answer comes, the next question follows.
    const reply = await call(findHiddenVideos, { query: { ids: id }, signal }).catch(() => null);
    if (reply?.hidden.includes(id) && !signal.aborted) onHidden();
  };
  const askVisible = () => void (document.hidden || ask());
  const stops = [
    every(limits.statusPollSeconds * 1000, askVisible),
    changedOnServer.tags.listen(() => void ask()),
    changedOnServer.profile.listen(() => void ask()),
  ];
  return () => {
    stopping.abort();
    for (const stop of stops) stop();
  };
}
