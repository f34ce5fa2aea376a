import { proxy } from 'valtio/vanilla';

interface AppUpdateState {
  /** A new version is waiting, and is offered over the view. */
  isReady: boolean;
  /** The offer was dismissed, or shown long enough: it is in the menu. */
  isInMenu: boolean;
  /**
   * Files are being uploaded: the new version is offered afterwards; Profile offers it meanwhile.
   */
  isDeferred: boolean;
  /** A video is being saved: the new version is offered afterwards. */
  isSaving: boolean;
}

export const appUpdate = proxy<AppUpdateState>({ isReady: false, isInMenu: false, isDeferred: false, isSaving: false });

/**
 * Registers the worker. When it fails (no network, or the server is being replaced), the next start
 * tries again.
 */
export async function watchForUpdates(): Promise<void> {
  try {
    const { registerWorker } = await import('../platform/worker-link.ts');
    await registerWorker(() => void Object.assign(appUpdate, { isReady: true, isInMenu: false }));
  } catch {
    // The app works without a worker, as long as there is a network.
  }
}

/** Reloads the app, into the waiting version if there is one: all of its files are stored. */
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
