import './polyfills.ts';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { watchScreenForm } from './platform/screen-form.ts';
import { followFeed } from './shell/feed-presence.ts';
import { followConnection } from './shell/offline-notice.ts';
import { startAccess } from './state/access.ts';
import { watchForUpdates } from './state/app-update.ts';
import { watchConnection } from './state/connection.ts';
import { startNavigation } from './state/navigation.ts';

watchScreenForm();
watchConnection();
followConnection();
startNavigation();
// The first four videos and the configuration are asked for side by side.
followFeed();
void startAccess();

createRoot(document.getElementById('root') as HTMLElement).render(<App />);
void watchForUpdates();
