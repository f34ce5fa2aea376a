import './polyfills.ts';
import { watchScreenForm } from './platform/screen-form.ts';
import { afterFirstSources } from './playback/milestones.ts';
import { followFeed } from './shell/feed-presence.ts';
import { followConnection } from './shell/offline-notice.ts';
import { startAccess } from './state/access.ts';
import { watchConnection } from './state/connection.ts';
import { startNavigation } from './state/navigation.ts';

const viewsWaitAtMostMs = 200;

watchScreenForm();
watchConnection();
followConnection();
startNavigation();
// The first four videos and the configuration are asked for side by side, before the views are there: neither needs them.
followFeed();
void startAccess();

// Running the views' code takes the page as long as a pick's round trip: an answer that came meanwhile would wait for it. The file is on its way already.
afterFirstSources(viewsWaitAtMostMs, () => void import('./draw-app.tsx').then(({ drawApp }) => drawApp()));
