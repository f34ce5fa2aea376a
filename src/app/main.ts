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

// The views' code runs while the first answers are on their way. Drawing takes longer than that, and an answer that came meanwhile would wait for it.
const views = import('./draw-app.tsx');
afterFirstSources(viewsWaitAtMostMs, () => void views.then(({ drawApp }) => drawApp()));
