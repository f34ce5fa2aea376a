import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showAppBadge } from '#app/platform/later-capabilities.ts';
import { keepScreenOn } from '#app/platform/wake-lock.ts';
import { watchUploads } from '#app/shell/upload-indicator.tsx';
import { appUpdate } from '#app/state/app-update.ts';
import type { UploadRow, UploadStatus } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { completed, failed, uploading, uploadRow, waiting } from '#tests/unit/app/shell/uploads/upload-rows.ts';
import { settle } from '../../draw.tsx';

vi.mock('#app/platform/wake-lock.ts', () => ({ keepScreenOn: vi.fn() }));

let stop: () => void;
const setAppBadge = vi.fn(async (_count: number) => {});
const clearAppBadge = vi.fn(async () => {});

const set = (...rows: UploadRow[]) => settle(() => void Object.assign(uploads, { rows }));
const setAll = (...statuses: UploadStatus[]) => set(...statuses.map((status) => uploadRow(status)));

/** Whether the browser would ask before it closes the page. */
const asksBeforeUnload = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

beforeEach(() => {
  Object.assign(navigator, { setAppBadge, clearAppBadge });
  stop = watchUploads();
  vi.clearAllMocks();
});

afterEach(async () => {
  await set();
  stop();
  for (const name of ['setAppBadge', 'clearAppBadge']) Reflect.deleteProperty(navigator, name);
});

test("the app's icon counts what is not finished, once a change, and nothing at 0", async () => {
  await setAll(uploading, waiting('turn'), waiting('paused'), { kind: 'processing' }, completed, failed);
  expect(setAppBadge.mock.calls).toEqual([[4]]);
  await setAll(uploading, uploading, waiting('paused'), { kind: 'processing' }, completed, failed);
  expect(setAppBadge).toHaveBeenCalledTimes(1);
  expect(clearAppBadge).not.toHaveBeenCalled();
  await setAll(completed, failed);
  expect(clearAppBadge).toHaveBeenCalledTimes(1);
});

test('uploads and saved videos are counted together', async () => {
  showAppBadge('saved', 2);
  await setAll(uploading);
  expect(setAppBadge.mock.calls).toEqual([[2], [3]]);
  showAppBadge('saved', 0);
  expect(setAppBadge).toHaveBeenLastCalledWith(1);
});

test('a system without badges, and one that refuses them, change nothing', async () => {
  setAppBadge.mockRejectedValueOnce(new Error('NotAllowedError'));
  await setAll(uploading);
  for (const name of ['setAppBadge', 'clearAppBadge']) Reflect.deleteProperty(navigator, name);
  await setAll(uploading, uploading);
  expect(appUpdate.isDeferred).toBe(true);
});

test('the screen stays on, and a new version waits, while anything moves', async () => {
  const isOn = () => vi.mocked(keepScreenOn).mock.lastCall;
  for (const status of [uploading, waiting('turn'), waiting('retry')]) {
    await setAll(status, completed);
    expect([isOn(), appUpdate.isDeferred]).toEqual([['uploading', true], true]);
  }
  for (const status of [waiting('network'), waiting('paused'), waiting('start'), failed, completed]) {
    await setAll(status);
    expect([isOn(), appUpdate.isDeferred]).toEqual([['uploading', false], false]);
  }
  await setAll(uploading);
  stop();
  expect([isOn(), appUpdate.isDeferred]).toEqual([['uploading', false], false]);
});

test('closing the page asks first, only while a file moves that would have to be chosen again', async () => {
  const row = (status: UploadStatus, resumesByItself: boolean) => uploadRow(status, { resumesByItself });
  expect(asksBeforeUnload()).toBe(false);
  await set(row(uploading, true));
  expect(asksBeforeUnload()).toBe(false);
  await set(row(uploading, true), row(uploading, false));
  expect(asksBeforeUnload()).toBe(true);
  await set(row(waiting('pick-again'), false), row(completed, false));
  expect(asksBeforeUnload()).toBe(false);
  await set(row(uploading, false));
  stop();
  expect(asksBeforeUnload()).toBe(false);
});
