import { proxy } from 'valtio/vanilla';
import { linkWorker } from '../platform/worker-link.ts';

interface AppUpdateState {
  /** A new version waits for the viewer's consent. */
  isReady: boolean;
}

export const appUpdate = proxy<AppUpdateState>({ isReady: false });

export async function watchForUpdates(): Promise<void> {
  await linkWorker(() => {
    appUpdate.isReady = true;
  });
}

/** Not now: the waiting version takes over when the app is next opened. */
export function dismissUpdate(): void {
  appUpdate.isReady = false;
}
