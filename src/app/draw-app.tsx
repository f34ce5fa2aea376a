import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { afterFirstPictures } from './playback/milestones.ts';
import { watchForUpdates } from './state/app-update.ts';

/** The worker fetches the whole shell when it is registered: on a first visit that is left until the pictures are there. */
const workerWaitsAtMostMs = 4_000;

export function drawApp(): void {
  createRoot(document.getElementById('root') as HTMLElement).render(<App />);
  afterFirstPictures(workerWaitsAtMostMs, () => void watchForUpdates());
}
