import { proxy } from 'valtio/vanilla';

interface AppUpdateState {
  /** A new version is waiting, and is offered over the view. */
  isReady: boolean;
  /** The offer was dismissed, or shown long enough: it is in the menu. */
  isInMenu: boolean;
  /** Files are being uploaded: it is offered afterwards, or in Profile for whoever looks there. */
  isDeferred: boolean;
}

export const appUpdate = proxy<AppUpdateState>({ isReady: false, isInMenu: false, isDeferred: false });

/**
 * Where the worker cannot be registered now (no network, or the server is being replaced), the next start registers it.
 */
export async function watchForUpdates(): Promise<void> {
  try {
    const { registerWorker } = await import('../platform/worker-link.ts');
    await registerWorker(() => void Object.assign(appUpdate, { isReady: true, isInMenu: false }));
  } catch {
    // Without a worker the app works all the same, with the network.
  }
}

/** Reloads, into the version that waits where one does: it has all of its files. */
export async function reloadApp(): Promise<void> {
  const { isReady, isInMenu } = appUpdate;
  if (!isReady && !isInMenu) return location.reload();
  const { acceptUpdate } = await import('../platform/worker-link.ts');
  acceptUpdate();
}

/** Moves the offer to the menu. The waiting version becomes active when the app is next opened. */
export function dismissUpdate(): void {
  Object.assign(appUpdate, { isReady: false, isInMenu: true });
}
