import { watchScreenForm } from './platform/input/screen-form.ts';
import { afterFirstFrames } from './playback/player/player.ts';
import { followFeed, removeStartFrames, showStartFrames } from './shell/feed-presence.ts';
import { claimHandover } from './start/first-picks.ts';
import type { StartHandover } from './start/handover.ts';
import { fetchPageFiles } from './start/page-parts.ts';
import { startAccess } from './state/access.ts';
import { watchConnection, watchOfflineNotice } from './state/connection.ts';
import { navigation, startNavigation } from './state/navigation.ts';
import { subscribeAccountSettings, venue, watchLayoutChoice } from './state/settings.ts';

const maxFramesWaitMs = 500;

/**
 * Takes over the page, requests missing videos, shows the first frames, and then renders the views.
 */
export function startEngine(): void {
  const handover = claimHandover();
  watchConnection();
  watchOfflineNotice();
  startNavigation();
  void tellDevice();
  // The first four videos and the configuration are requested in parallel, before layout and before
  // the views are loaded: they need neither.
  followFeed(handover);
  void startAccess();
  watchLayoutChoice();
  subscribeAccountSettings();
  watchScreenForm();
  fetchPageFiles('view-files');
  showFirst(handover);
}

/**
 * Announces the device's capabilities before the first tap, after which the app requests further
 * videos. The first four videos play nearly everywhere.
 */
async function tellDevice(): Promise<void> {
  // If the file does not load, the server picks videos that play nearly everywhere.
  const device = await import('./playback/quality/device-class.ts').catch(() => null);
  device?.announceDeviceClass();
}

/**
 * Shows the first frames before the views: running and rendering the views takes the main thread,
 * and the processors that decode, for longer than the first frames need. The views' files are
 * already loading.
 */
function showFirst(handover: StartHandover): void {
  if (navigation.view !== 'feed' || venue.isAsleep) {
    handover.grid?.remove();
    void drawViews();
    return;
  }
  showStartFrames(handover);
  afterFirstFrames(maxFramesWaitMs, drawViews);
}

/**
 * If the views cannot be loaded, the rejection stays unhandled: `too-old.js` listens for it and
 * shows a message on the loading screen.
 */
async function drawViews(): Promise<void> {
  const { drawApp } = await import('./draw-app.tsx').catch((error: unknown) => {
    removeStartFrames();
    throw error;
  });
  drawApp();
}
