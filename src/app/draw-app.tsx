import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadWithinLimit } from './platform/http/time-limit.ts';
import { isMessageLeft } from './platform/provider-message.ts';
import { refreshToken } from './platform/tokens/token-store.ts';
import { startCaretakers } from './playback/caretakers.ts';
import { afterFirstPictures } from './playback/milestones.ts';
import { watchForUpdates } from './state/app-update.ts';
import { navigation } from './state/navigation.ts';
import { session } from './state/session.ts';

/** The worker fetches the whole shell when it is registered, and players that prepare need no looking after: both wait for the pictures. */
const othersWaitAtMostMs = 4_000;

/**
 * The videos may play already: as a transition the views are drawn in slices, which hold up no picture and no key. Who is here decides what another view
 * than the feed shows; on the feed only somebody who may be known is asked for before the pictures stand.
 */
export function drawApp(): void {
  const root = createRoot(document.getElementById('root') as HTMLElement);
  startTransition(() => root.render(<App />));
  const isAskedAtOnce = navigation.view !== 'feed' || refreshToken() !== null || isMessageLeft() || navigation.dialog !== null;
  if (isAskedAtOnce) void learnWhoIsHere();
  afterFirstPictures(othersWaitAtMostMs, () => {
    void watchForUpdates();
    startCaretakers();
    if (!isAskedAtOnce) void learnWhoIsHere();
  });
}

/** Without its file everybody is anonymous until the next start. */
async function learnWhoIsHere(): Promise<void> {
  const start = await loadWithinLimit(() => import('./state/start-session.ts')).catch(() => null);
  if (start) start.startSession();
  else session.phase = 'failed';
}
