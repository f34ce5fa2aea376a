import { afterEach, expect, test, vi } from 'vitest';
import { UpdateNotice } from '#app/features/profile/profile-screen.tsx';
import { acceptUpdate } from '#app/platform/worker-link.ts';
import { appUpdate } from '#app/state/app-update.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { uploading, uploadRow } from '#tests/unit/app/shell/uploads/upload-rows.ts';
import { draw, press, settle } from '../draw.tsx';

vi.mock('#app/platform/worker-link.ts', () => ({ acceptUpdate: vi.fn(), registerWorker: vi.fn() }));

const set = (facts: Partial<typeof appUpdate>) => settle(() => void Object.assign(appUpdate, facts));

afterEach(async () => {
  await set({ isReady: false, isInMenu: false, isDeferred: false });
  await settle(() => void Object.assign(uploads, { rows: [] }));
});

test('a new version that waits for uploads can be had at once, where they go on by themselves', async () => {
  const screen = await draw(<UpdateNotice />);
  uploads.rows = [uploadRow(uploading)];
  await set({ isDeferred: true });
  expect(screen.textContent).toBe('');
  await set({ isReady: true });
  expect(screen.textContent).toContain('A new version of Fourfold is ready. Uploads go on after the reload.');
  await press('Reload');
  expect(acceptUpdate).toHaveBeenCalledTimes(1);
});

test('also one that was put off before', async () => {
  const screen = await draw(<UpdateNotice />);
  await set({ isDeferred: true, isInMenu: true });
  expect(screen.textContent).toContain('A new version');
});

test('not where an upload would be lost, and not twice where the view offers it', async () => {
  const screen = await draw(<UpdateNotice />);
  uploads.rows = [uploadRow(uploading), uploadRow(uploading, { resumesByItself: false })];
  await set({ isReady: true, isDeferred: true });
  expect(screen.textContent).toBe('');
  await settle(() => void Object.assign(uploads, { rows: [] }));
  await set({ isDeferred: false });
  expect(screen.textContent).toBe('');
});
