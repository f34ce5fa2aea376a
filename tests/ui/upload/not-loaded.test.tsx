import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection } from '#app/state/connection.ts';
import { press, settle } from '../draw.tsx';
import { acceptance, dialog, drawUpload, leaveUpload, standardRoutes, texts } from './draw-upload.tsx';
import { recordingQueue, resetUploads } from './recording-queue.ts';

vi.mock('#app/features/upload/queue-source.ts', () => ({
  withQueue: async (action: (queue: typeof recordingQueue) => Promise<unknown>) => action(recordingQueue),
}));
vi.mock('#app/features/upload/history/history-section.tsx', () => ({
  get HistorySection() {
    throw new TypeError('Failed to fetch dynamically imported module');
  },
}));
vi.mock('#app/features/upload/eula/eula-dialog.tsx', () => ({
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
