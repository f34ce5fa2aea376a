import { subscribeKey } from 'valtio/vanilla/utils';
import { leaveFeed, openFeed, returnToFeed } from '../features/feed/feed-store.ts';
import type { StartHandover } from '../start/handover.ts';
import { access } from '../state/access.ts';
import { navigation } from '../state/navigation.ts';

/**
 * The feed plays while it is the view and the site is open: leaving it pauses the four and gives up their leases,
 * coming back restores them. It is notified synchronously, before anything is drawn anew.
 */
export function followFeed(handover: StartHandover): void {
  let isOpened = false;
  let isPresent = false;
  const update = () => {
    const isWanted = navigation.view === 'feed' && access.phase !== 'refused';
    if (isWanted === isPresent) return;
    isPresent = isWanted;
    if (!isWanted) leaveFeed();
    else if (isOpened) returnToFeed();
    else openFeed(handover);
    isOpened ||= isWanted;
  };
  subscribeKey(navigation, 'view', update, true);
  subscribeKey(access, 'phase', update, true);
  update();
}
