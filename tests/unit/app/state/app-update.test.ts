import { beforeEach, expect, test, vi } from 'vitest';
import { acceptUpdate, registerWorker } from '#app/platform/worker-link.ts';
import { appUpdate, dismissUpdate, reloadApp, watchForUpdates } from '#app/state/app-update.ts';

vi.mock('#app/platform/worker-link.ts', () => ({ acceptUpdate: vi.fn(), registerWorker: vi.fn() }));

beforeEach(() => {
  Object.assign(appUpdate, { isReady: false, isInMenu: false });
});

test('a version that waits is offered until it is put away', async () => {
  vi.mocked(registerWorker).mockImplementation(async (onReady) => onReady());
  await watchForUpdates();
  expect(appUpdate.isReady).toBe(true);
  expect(appUpdate.isInMenu).toBe(false);
  dismissUpdate();
  expect(appUpdate.isReady).toBe(false);
  expect(appUpdate.isInMenu).toBe(true);
});

test('a worker that cannot be had at the moment is nobody’s failure', async () => {
  vi.mocked(registerWorker).mockRejectedValue(new TypeError('Failed to fetch dynamically imported module'));
  await expect(watchForUpdates()).resolves.toBeUndefined();
  expect(appUpdate.isReady).toBe(false);
});

test('a reload takes the version that waits, also where it was put away, and is a plain one without', async () => {
  const reload = vi.fn();
  vi.stubGlobal('location', { reload });
  await reloadApp();
  expect(reload).toHaveBeenCalledTimes(1);
  expect(acceptUpdate).not.toHaveBeenCalled();
  appUpdate.isReady = true;
  await reloadApp();
  dismissUpdate();
  await reloadApp();
  expect(acceptUpdate).toHaveBeenCalledTimes(2);
  expect(reload).toHaveBeenCalledTimes(1);
  vi.unstubAllGlobals();
});
