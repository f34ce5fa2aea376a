import { subscribeKey } from 'valtio/vanilla/utils';
import { accessRefused } from '../platform/http/call.ts';
import { recovered } from '../platform/http/recovery.ts';
import { sessionEnded } from '../platform/tokens/token-refresh.ts';
import { refreshToken } from '../platform/tokens/token-store.ts';
import { onTokensChangedElsewhere } from '../platform/tokens/token-watch.ts';
import { readConfigAgain } from './access.ts';
import { endSession, readSession, readSessionIfUnsure } from './account.ts';
import { connection } from './connection.ts';
import { changedOnServer, subscribeRevisions } from './revision.ts';
import { session } from './session.ts';

/**
 * Reads the session, and again after whatever may change it: the server, other tabs, a recovered network. Returns what
 * stops it.
 */
export function subscribeSessionEvents(): () => void {
  const stops = [
    subscribeRevisions(),
    changedOnServer.profile.listen(readSession),
    changedOnServer.config.listen(readConfigAgain),
    sessionEnded.listen(onSessionEnded),
    onTokensChangedElsewhere(onTokensChanged),
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
  void endSession();
}

/** A sign-out in one tab is one in all. */
function onTokensChanged(): void {
  if (refreshToken() !== null) void readSession();
  else if (session.user !== null) void endSession();
}

function onConnectionChanged(isReachable: boolean): void {
  if (isReachable && (session.phase === 'failed' || session.user !== null)) void readSession();
}
