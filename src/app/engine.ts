import './polyfills.ts';
import { watchScreenForm } from './platform/input/screen-form.ts';
import { afterFirstPictures } from './playback/milestones.ts';
import { followFeed } from './shell/feed-presence.ts';
import { clearFirstPictures, showFirstPictures } from './shell/first-pictures.ts';
import { followConnection } from './shell/offline-notice.ts';
import { followLayoutChoice } from './shell/screen-layout.ts';
import { startAccess } from './state/access.ts';
import { watchConnection } from './state/connection.ts';
import { navigation, startNavigation } from './state/navigation.ts';
import { followAccountSettings } from './state/settings.ts';

const picturesAtMostMs = 500;

/** Asks, shows what comes, and then has the views drawn. */
export function startEngine(): void {
  watchConnection();
  followConnection();
  startNavigation();
  // The first four videos and the configuration are asked for side by side, before the page is laid out and the views are there: they need neither.
  followFeed();
  void startAccess();
  followLayoutChoice();
  followAccountSettings();
  watchScreenForm();
  fetchViewFiles();
  showFirst();
}

/**
 * To run the views' code and to draw them takes the page's one thread, and the processors that decode, longer than the first pictures need. So
 * these stand before, by themselves. The views' files are on their way already.
 */
function showFirst(): void {
  if (navigation.view !== 'feed') {
    clearFirstPictures();
    void drawViews();
    return;
  }
  showFirstPictures();
  afterFirstPictures(picturesAtMostMs, drawViews);
}

/** Where the views cannot be had, the loading screen says so: its script hears of the refusal. */
async function drawViews(): Promise<void> {
  const { drawApp } = await import('./draw-app.tsx').catch((error: unknown) => {
    clearFirstPictures();
    throw error;
  });
  drawApp();
}

/** `vite.config.ts` lists the files. They are fetched without being run. */
function fetchViewFiles(): void {
  const files = document.getElementById('view-files');
  if (files instanceof HTMLTemplateElement) document.head.append(files.content);
}
