import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { after } from '#app/platform/timers.ts';
import { connection } from '#app/state/connection.ts';

/** How long the words stand before the pill shrinks to its icon. */
const sentenceMs = 6_000;

interface OfflineNoticeState {
  face: 'hidden' | 'sentence' | 'tile';
}

export const offlineNotice = proxy<OfflineNoticeState>({ face: 'hidden' });

let cancelShrinking = () => {};

/** Shows the words each time the server goes out of reach, then the tile until it is back. Returns what stops it. */
export function followConnection(): () => void {
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
