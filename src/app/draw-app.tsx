import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadWithinLimit } from './platform/http/time-limit.ts';
import { hasStoredMessage } from './platform/provider-message.ts';
import { refreshToken } from './platform/tokens/token-store.ts';
import { startCaretakers } from './playback/caretakers.ts';
import { afterFirstPictures } from './playback/milestones.ts';
import { watchForUpdates } from './state/app-update.ts';
import { navigation } from './state/navigation.ts';
import { session } from './state/session.ts';

/** The worker fetches the whole shell when it is registered, and players that prepare need no looking after: both wait for the pictures. */
const maxOthersWaitMs = 4_000;

/**
 * The videos may play already: as a transition the views are drawn in slices, which hold up no picture and no key. Who is here decides what another view
 * than the feed shows; on the feed only somebody who may be known is asked for before the pictures stand.
 */
export function drawApp(): void {
  const root = createRoot(document.getElementById('root') as HTMLElement);
  startTransition(() => root.render(<App />));
  const isSessionUrgent = navigation.view !== 'feed' || refreshToken() !== null || hasStoredMessage() || navigation.dialog !== null;
  if (isSessionUrgent) void loadSession();
  afterFirstPictures(maxOthersWaitMs, () => {
    void watchForUpdates();
    startCaretakers();
    if (!isSessionUrgent) void loadSession();
  });
}

/** Without its file everybody is anonymous until the next start. */
async function loadSession(): Promise<void> {
  const start = await loadWithinLimit(() => import('./state/start-session.ts')).catch(() => null);
  if (start) start.startSession();
  else session.phase = 'failed';
}
