import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { startCaretakers } from './playback/caretakers.ts';
import { afterFirstPictures } from './playback/milestones.ts';
import { watchForUpdates } from './state/app-update.ts';

/** The worker fetches the whole shell when it is registered, and players that prepare need no looking after: both wait for the pictures. */
const othersWaitAtMostMs = 4_000;

export function drawApp(): void {
  createRoot(document.getElementById('root') as HTMLElement).render(<App />);
  afterFirstPictures(othersWaitAtMostMs, () => {
    void watchForUpdates();
    startCaretakers();
  });
}
