import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recovered } from '#app/platform/link.ts';
import { connection } from '#app/state/connection.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { press, settle } from '../draw.tsx';
import { acceptance, dialog, drawUpload, leaveUpload, standardRoutes, texts } from './draw-upload.tsx';
import { recordingQueue, resetUploads, row } from './recording-queue.ts';

const areRowsThere = vi.hoisted(() => ({ now: false }));

vi.mock('#app/state/uploads/load-upload-queue.ts', () => ({
  withQueue: async (action: (queue: typeof recordingQueue) => Promise<unknown>) => action(recordingQueue),
}));
vi.mock('#app/features/upload/history-section.tsx', () => ({
  get HistorySection() {
    throw new TypeError('Failed to fetch dynamically imported module');
  },
}));
vi.mock('#app/features/upload/upload-rows.tsx', () => ({
  get UploadRows() {
    if (areRowsThere.now) return () => 'a.mp4';
    throw new TypeError('Failed to fetch dynamically imported module');
  },
}));
vi.mock('#app/features/upload/eula-dialog.tsx', () => ({
  get EulaDialog() {
    throw new TypeError('Failed to fetch dynamically imported module');
  },
}));

beforeEach(resetUploads);
afterEach(leaveUpload);

const past = () => document.querySelector('section[aria-labelledby="past-uploads"]')?.textContent;

test('past uploads whose file is not on this device wait for the network, and files can be added above them', async () => {
  await drawUpload();
  expect(past()).toBe('Past uploadsThey could not be loaded.');
  await settle(() => {
    connection.isReachable = false;
  });
  expect(past()).toBe('Past uploadsWaiting for network');
  expect(texts('h2')).toContain('Past uploads');
  expect(document.querySelector('input[type="file"]')).not.toBeNull();
});

test('an agreement whose file is not on this device needs a connection, and can be put away', async () => {
  await drawUpload({ ...standardRoutes(), 'GET /api/users/profile': () => acceptance(false) });
  expect(dialog()?.textContent).toContain('It could not be loaded.');
  await settle(() => {
    connection.isReachable = false;
  });
  expect(dialog()?.textContent).toContain('Needs a connection');
  await press('OK');
  expect(dialog()).toBeNull();
});

test('a list whose file could not be loaded says so, and comes with the network', async () => {
  await drawUpload();
  const list = document.querySelector('section[aria-label="Files"]');
  expect(list?.textContent).toContain('No files selected');
  await settle(() => {
    uploads.rows = [row('a.mp4')];
  });
  await vi.waitFor(() => expect(list?.textContent).toBe('The list could not be loaded.'));
  await settle(() => {
    areRowsThere.now = true;
    recovered.emit();
  });
  await vi.waitFor(() => expect(list?.textContent).toBe('a.mp4'));
});
