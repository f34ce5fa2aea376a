import { lazy, Suspense, startTransition, useEffect, useLayoutEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { useSnapshot } from 'valtio';
import { loadWithinLimit } from './platform/http/time-limit.ts';
import { refreshToken, storedSignIn } from './platform/http/token-store.ts';
import { watchKeysLater } from './platform/input/late-keys.ts';
import { afterFirstFrames } from './playback/player/player.ts';
import { removeStartFrames } from './shell/feed-presence.ts';
import { ErrorBoundary, Frame } from './shell/frame.tsx';
import { access } from './state/access.ts';
import { navigation } from './state/navigation.ts';
import { session } from './state/session.ts';
import { venue } from './state/settings.ts';
import { Logo } from './ui/glyphs.tsx';

/**
 * Time limit for work that waits for the first frames: registering the service worker fetches the
 * whole shell, and players that are still loading need no monitors.
 */
const maxOthersWaitMs = 4_000;

/**
 * Renders the views. It does so in a transition, because the videos may play already: React then
 * renders in slices, which delay no frame and no key. The session decides what views other than the
 * feed show; on the feed it is loaded before the first frames only if someone may be signed in.
 */
export function drawApp(): void {
  const root = createRoot(document.getElementById('root') as HTMLElement);
  startTransition(() => root.render(<App />));
  const isSessionUrgent =
    navigation.view !== 'feed' || refreshToken() !== null || storedSignIn() !== null || navigation.dialog !== null;
  if (isSessionUrgent) void loadSession();
  afterFirstFrames(maxOthersWaitMs, () => {
    void loadUpdates();
    void loadMonitors();
    if (!isSessionUrgent) void loadSession();
  });
}

/** If the file does not load, the viewer is anonymous until the next start. */
async function loadSession(): Promise<void> {
  const start = await loadWithinLimit(() => import('./state/start-session.ts')).catch(() => null);
  if (start) start.startSession();
  else session.phase = 'failed';
}

/** If the file does not load, stalled players are not recovered until the next start. */
async function loadMonitors(): Promise<void> {
  const monitors = await loadWithinLimit(() => import('./features/feed/monitors.ts')).catch(() => null);
  monitors?.startFeedMonitors();
}

/** If the file does not load, the next start registers the worker. */
async function loadUpdates(): Promise<void> {
  const updates = await loadWithinLimit(() => import('./state/app-update.ts')).catch(() => null);
  void updates?.watchForUpdates();
}

/**
 * Arrow keys on the feed are rare before its first frames; other views have nothing that loads
 * earlier.
 */
function watchKeys(): () => void {
  return watchKeysLater(loadRemote, (start) =>
    navigation.view === 'feed' ? afterFirstFrames(maxOthersWaitMs, start) : start(),
  );
}

async function loadRemote() {
  const { watchRemote, handleRemoteKey } = await loadWithinLimit(() => import('./shell/remote.ts'));
  return { watch: watchRemote, handle: handleRemoteKey };
}

const PasswordScreen = lazy(() => loadWithinLimit(() => import('./features/auth/password-screen.tsx')));

/** If the file does not load, the feed plays with its menus until the next start. */
const VenueScreen = lazy(() =>
  loadWithinLimit(() => import('./features/feed/venue/venue-screen.tsx')).catch(() => {
    venue.isAsleep = false;
    return { default: Frame };
  }),
);

/** The loading screen, then the password screen, the locked venue or the views. */
function App() {
  useEffect(watchKeys, []);
  return (
    <ErrorBoundary onReload={() => location.reload()}>
      <Suspense fallback={<StartScreen />}>
        <Entrance />
      </Suspense>
    </ErrorBoundary>
  );
}

function Entrance() {
  const { phase } = useSnapshot(access);
  const { isOn, isUnlocked } = useSnapshot(venue);
  useLayoutEffect(() => {
    if (phase !== 'checking') removeStartFrames();
  }, [phase]);
  if (phase === 'checking') return <StartScreen />;
  if (phase === 'refused') return <PasswordScreen />;
  return isOn && !isUnlocked ? <VenueScreen /> : <Frame />;
}

/**
 * The loading screen. `index.html` has the same markup until the scripts run; `styles/start.css`
 * styles both.
 */
function StartScreen() {
  return (
    <div className="start" role="status">
      <Logo />
      <p>Loading...</p>
    </div>
  );
}
