import { subscribeKey } from 'valtio/vanilla/utils';
import { quadrants } from '#contract/quadrants.ts';
import { attachPlayer, leaveFeed, openFeed, returnToFeed, startAll } from '../features/feed/feed-store.ts';
import type { StartHandover } from '../start/handover.ts';
import { emptyHandover } from '../start/handover.ts';
import { StartGrid } from '../start/page-parts.ts';
import { access } from '../state/access.ts';
import { navigation } from '../state/navigation.ts';
import { venue } from '../state/settings.ts';

/**
 * Opens, leaves and reopens the feed with the view: leaving it pauses the four videos and gives up
 * their leases, returning restores them. It is notified synchronously, before anything is rendered.
 * What the page has picked for a venue that is asleep is too old once it opens.
 */
export function followFeed(handover: StartHandover): void {
  let isOpened = false;
  let isPresent = false;
  const start = venue.isAsleep ? emptyHandover : handover;
  const update = () => {
    const isWanted = navigation.view === 'feed' && access.phase !== 'refused' && !venue.isAsleep;
    if (isWanted === isPresent) return;
    isPresent = isWanted;
    if (!isWanted) leaveFeed();
    else if (isOpened) returnToFeed();
    else openFeed(start);
    isOpened ||= isWanted;
  };
  subscribeKey(navigation, 'view', update, true);
  subscribeKey(access, 'phase', update, true);
  subscribeKey(venue, 'isAsleep', update, true);
  update();
}

let grid: StartGrid | null = null;

/**
 * Shows the first frames before the views are rendered: over the loading screen, in the grid that
 * the page may have drawn. To be called when the feed is open.
 */
export function showStartFrames(handover: StartHandover): void {
  grid = handover.grid ?? new StartGrid(startAll);
  grid.onTap = startAll;
  for (const quadrant of quadrants) attachPlayer(quadrant, grid.hosts[quadrant]);
  if (handover.isTapped || venue.isOn) startAll();
}

/** Removes the grid once the views show the videos, or do not need them. */
export function removeStartFrames(): void {
  grid?.remove();
}
