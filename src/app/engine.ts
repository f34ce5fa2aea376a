import { watchScreenForm } from './platform/input/screen-form.ts';
import { afterFirstFrames } from './playback/player/player.ts';
import { followFeed, removeStartFrames, showStartFrames } from './shell/feed-presence.ts';
import { watchOfflineNotice } from './shell/offline-notice.ts';
import { watchLayoutChoice } from './shell/screen/screen-layout.ts';
import { claimHandover } from './start/first-picks.ts';
import type { StartHandover } from './start/handover.ts';
import { fetchPageFiles } from './start/page-parts.ts';
import { startAccess } from './state/access.ts';
import { watchConnection } from './state/connection.ts';
import { navigation, startNavigation } from './state/navigation.ts';
import { subscribeAccountSettings } from './state/settings.ts';

const maxFramesWaitMs = 500;

/** Takes the page over, requests what is missing, shows the first frames, and then has the views drawn. */
export function startEngine(): void {
  const handover = claimHandover();
  watchConnection();
  watchOfflineNotice();
  startNavigation();
  void tellDevice();
  // The first four videos and the configuration are requested side by side, before layout and before the views are
  // there: they need neither.
  followFeed(handover);
  void startAccess();
  watchLayoutChoice();
  subscribeAccountSettings();
  watchScreenForm();
  fetchPageFiles('view-files');
  showFirst(handover);
}

/** Before the first tap, and so before the app asks for a video that nobody has asked for yet. The first four play nearly everywhere. */
async function tellDevice(): Promise<void> {
  // Without the file the server gives what plays nearly everywhere.
  const device = await import('./playback/quality/device-class.ts').catch(() => null);
  device?.announceDeviceClass();
}

/**
 * Running the views' code and drawing them takes the main thread, and the processors that decode, for longer than the
 * first frames need. So the frames are shown before, by themselves. The views' files are on their way already.
 */
function showFirst(handover: StartHandover): void {
  if (navigation.view !== 'feed') {
    handover.grid?.remove();
    void drawViews();
    return;
  }
  showStartFrames(handover);
  afterFirstFrames(maxFramesWaitMs, drawViews);
}

/** Where the views cannot be loaded, the loading screen says so: `too-old.js` listens to unhandled rejections. */
async function drawViews(): Promise<void> {
  const { drawApp } = await import('./draw-app.tsx').catch((error: unknown) => {
    removeStartFrames();
    throw error;
  });
  drawApp();
}
