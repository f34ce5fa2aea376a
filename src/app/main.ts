import './polyfills.ts';
import { watchScreenForm } from './platform/screen-form.ts';
import { afterFirstMetadata, afterFirstSources } from './playback/milestones.ts';
import { followFeed } from './shell/feed-presence.ts';
import { followConnection } from './shell/offline-notice.ts';
import { startAccess } from './state/access.ts';
import { watchConnection } from './state/connection.ts';
import { startNavigation } from './state/navigation.ts';

const sourcesAtMostMs = 200;
const metadataAtMostMs = 150;

watchConnection();
followConnection();
startNavigation();
// The first four videos and the configuration are asked for side by side, before the page is laid out and the views are there: they need neither.
followFeed();
void startAccess();
watchScreenForm();

// To run the views' code and to draw them takes the page longer than the answers need, and those that came meanwhile would wait: so each waits for
// the answers before it. Their files are on their way already.
afterFirstSources(sourcesAtMostMs, async () => {
  const { drawApp } = await import('./draw-app.tsx');
  afterFirstMetadata(metadataAtMostMs, drawApp);
});
