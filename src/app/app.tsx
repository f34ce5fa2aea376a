import { lazy, Suspense, useEffect, useLayoutEffect } from 'react';
import { useSnapshot } from 'valtio';
import { loadWithinLimit } from './platform/http/time-limit.ts';
import { removeStartFrames } from './shell/feed-presence.ts';
import { watchRemote } from './shell/remote.ts';
import { ErrorBoundary, Shell } from './shell/shell.tsx';
import { StartScreen } from './shell/start.tsx';
import { access } from './state/access.ts';

const PasswordScreen = lazy(() => loadWithinLimit(() => import('./features/gate/password-screen.tsx')));

/** The loading screen, then the password page or the shell. */
export function App() {
  useEffect(watchRemote, []);
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
  useLayoutEffect(() => {
    if (phase !== 'checking') removeStartFrames();
  }, [phase]);
  if (phase === 'checking') return <StartScreen />;
  return phase === 'refused' ? <PasswordScreen /> : <Shell />;
}
