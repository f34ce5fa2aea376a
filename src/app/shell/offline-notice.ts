import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { connection } from '#app/state/connection.ts';
import { after } from '#device/timers.ts';

/** How long the sentence is shown before the pill shrinks to its icon. */
const sentenceMs = 6_000;

interface OfflineNoticeState {
  face: 'hidden' | 'sentence' | 'tile';
}

export const offlineNotice = proxy<OfflineNoticeState>({ face: 'hidden' });

let cancelShrinking = () => {};

/**
 * Shows the sentence each time the server becomes unreachable, then the icon alone until it is
 * reachable. Returns a function that stops it.
 */
export function watchOfflineNotice(): () => void {
  showFor(connection.isReachable);
  return subscribeKey(connection, 'isReachable', showFor);
}

function showFor(isReachable: boolean): void {
  cancelShrinking();
  offlineNotice.face = isReachable ? 'hidden' : 'sentence';
  if (isReachable) return;
  cancelShrinking = after(sentenceMs, () => {
    offlineNotice.face = 'tile';
  });
}
