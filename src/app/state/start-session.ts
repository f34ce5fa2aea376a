import { subscribeKey } from 'valtio/vanilla/utils';
import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { keepsTransactionsWhenLeft } from '#app/platform/later-capabilities.ts';
import { countWaiting, deviceDatabase } from '#device/device-database.ts';
import { after } from '#device/timers.ts';
import { accessRefused } from '../platform/http/call.ts';
import { authSessionEnded } from '../platform/http/token-refresh.ts';
import { refreshKey, refreshToken } from '../platform/http/token-store.ts';
import { recovered } from '../platform/link.ts';
import { readConfigAgain } from './access.ts';
import { endLocalSession, readRenewedSession, readSession, readSessionIfUnsure } from './account.ts';
import { connection } from './connection.ts';
import { finishStoredVisit } from './providers.ts';
import { changedOnServer, subscribeRevisions } from './revision.ts';
import { savedNotice } from './saved/saved-notice.ts';
import { session } from './session.ts';
import { subscribeViewerCache } from './viewer-cache.ts';

/**
 * Starts the session. The stored result of a provider is handled first: it may change who is signed
 * in.
 */
export function startSession(): void {
  if (keepsTransactionsWhenLeft()) window.addEventListener('pagehide', pauseDatabase);
  finishStoredVisit();
  subscribeSessionEvents();
  subscribeViewerCache();
  watchWaitingWork();
}

/** Other pages would wait for the transactions of a page that may come back. */
function pauseDatabase({ persisted }: PageTransitionEvent): void {
  if (persisted) window.addEventListener('pageshow', deviceDatabase.pause(), { once: true });
}

/**
 * Reads the session, and again after anything that may change it: the server, other tabs, a
 * recovered network. Returns a function that stops it.
 */
export function subscribeSessionEvents(): () => void {
  const stops = [
    subscribeRevisions(),
    changedOnServer.profile.listen(readSession),
    changedOnServer.config.listen(readConfigAgain),
    authSessionEnded.listen(onSessionEnded),
    onTokensChangedElsewhere(onTokensChanged),
    onComeBack(onTokensChanged),
    recovered.listen(readSessionIfUnsure),
    subscribeKey(connection, 'isReachable', onConnectionChanged),
  ];
  void readSession();
  return () => {
    for (const stop of stops) stop();
  };
}

/** The server has ended the session: the sign-in dialog opens with the reason (§4 401). */
function onSessionEnded({ isQuiet }: { isQuiet: boolean }): void {
  if (!isQuiet) accessRefused.emit({ hadSession: true });
  void endLocalSession();
}

/** Reads the session after a sign-in in another tab; a sign-out there is a sign-out here. */
function onTokensChanged(): void {
  if (refreshToken() !== null) void readRenewedSession();
  else if (session.user !== null) void endLocalSession();
}

/**
 * Calls back when another tab of this browser has signed in or out, or refreshed the tokens.
 * Returns a function that stops it.
 */
function onTokensChangedElsewhere(listener: () => void): () => void {
  // A null key: the site's storage was cleared.
  const onStorage = ({ key }: StorageEvent) => (key === refreshKey || key === null) && listener();
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

/** Back leads to a page as it was left: it heard nothing of other tabs in between. */
function onComeBack(listener: () => void): () => void {
  const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && listener();
  window.addEventListener('pageshow', onPageShow);
  return () => window.removeEventListener('pageshow', onPageShow);
}

function onConnectionChanged(isReachable: boolean): void {
  if (isReachable && (session.phase === 'failed' || session.user !== null)) void readSession();
}

/** Loads the code that sends changes or files, when some have waited since an earlier page. */
function watchWaitingWork(): void {
  whenIdle(() => void startIfNeeded());
}

/**
 * Starts sending. When the code cannot be loaded, everything waits for the next start or the next
 * change.
 */
async function startIfNeeded(): Promise<void> {
  const [changes, files, videos] = await countWaiting().catch(() => []);
  if (changes) await start(async () => (await import('./outbox/outbox-session.ts')).startOutbox());
  if (files) await start(async () => (await import('./uploads/upload-session.ts')).startUploads());
  if (videos) await start(async () => (await import('./saved/keeping.ts')).startKeeping());
  else savedNotice.playable = 0;
}

function start(load: () => Promise<void>): Promise<void> {
  return loadWithinLimit(load).catch(() => {});
}

/**
 * Runs when the page is idle, or after 2 s. `requestIdleCallback`: Chromium 47, Firefox 55;
 * elsewhere after that time.
 */
function whenIdle(run: () => void): void {
  const maxWaitMs = 2_000;
  if ('requestIdleCallback' in window) window.requestIdleCallback(run, { timeout: maxWaitMs });
  else after(maxWaitMs, run);
}
