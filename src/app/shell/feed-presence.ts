import { subscribeKey } from 'valtio/vanilla/utils';
import { leaveFeed, openFeed, returnToFeed } from '../features/feed/feed-store.ts';
import { access } from '../state/access.ts';
import { navigation } from '../state/navigation.ts';

let isOpened = false;
let isPresent = false;

/**
 * The feed plays while it is the view and the site is open: leaving it pauses the four and gives up their leases, coming back
 * restores them. It hears of a change at once, before anything is drawn anew.
 */
export function followFeed(): void {
  subscribeKey(navigation, 'view', settle, true);
  subscribeKey(access, 'phase', settle, true);
  settle();
}

function settle(): void {
  const isWanted = navigation.view === 'feed' && access.phase !== 'refused';
  if (isWanted === isPresent) return;
  isPresent = isWanted;
  if (!isWanted) leaveFeed();
  else if (isOpened) returnToFeed();
  else openFeed();
  isOpened ||= isWanted;
}
