import { proxy } from 'valtio/vanilla';
import { linkWorker } from '../platform/worker-link.ts';

interface AppUpdateState {
  /** A new version waits for the viewer's consent. */
  isReady: boolean;
}

export const appUpdate = proxy<AppUpdateState>({ isReady: false });

/** Where the worker cannot be had at this moment (the network is away, the server is being replaced), the next start registers it. */
export async function watchForUpdates(): Promise<void> {
  await linkWorker(() => {
    appUpdate.isReady = true;
  }).catch(waitForNextStart);
}

function waitForNextStart(): void {}

/** Not now: the waiting version takes over when the app is next opened. */
export function dismissUpdate(): void {
  appUpdate.isReady = false;
}
