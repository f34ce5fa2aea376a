import { proxy } from 'valtio/vanilla';
import { registerWorker } from '../platform/worker-link.ts';

interface AppUpdateState {
  /** A new version waits for the viewer's consent, and is offered over the view. */
  isReady: boolean;
  /** The offer was put away, or has stood long enough: it stands in the menu. */
  isInMenu: boolean;
}

export const appUpdate = proxy<AppUpdateState>({ isReady: false, isInMenu: false });

/** Where the worker cannot be had at this moment (the network is away, the server is being replaced), the next start registers it. */
export async function watchForUpdates(): Promise<void> {
  await registerWorker(() => {
    Object.assign(appUpdate, { isReady: true, isInMenu: false });
  }).catch(ignoreFailedRegistration);
}

function ignoreFailedRegistration(): void {}

/** Not now: the menu keeps the offer, and the waiting version takes over when the app is next opened. */
export function dismissUpdate(): void {
  Object.assign(appUpdate, { isReady: false, isInMenu: true });
}
