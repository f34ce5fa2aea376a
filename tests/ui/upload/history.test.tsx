import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { uploadAccess } from '#app/features/upload/access-store.ts';
import { connection } from '#app/state/connection.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import type { PastUpload } from '#contract/entities/upload.ts';
import { button, press, settle } from '../draw.tsx';
import { dialog, drawUpload, historyOf, leaveUpload, settleLoaded, standardRoutes, texts } from './draw-upload.tsx';
import { recordingQueue, resetUploads, row } from './recording-queue.ts';

vi.mock('#app/state/uploads/load-upload-queue.ts', () => ({
  withQueue: async (action: (queue: typeof recordingQueue) => Promise<unknown>) => action(recordingQueue),
}));

beforeEach(resetUploads);
afterEach(leaveUpload);

const past = (filename: string, facts: Partial<PastUpload> = {}): PastUpload => ({
  id: filename,
  session_id: 's',
  filename,
  size: 92_000_000,
  status: 'completed',
  error: null,
  video_id: 'v',
  created_at: '2026-11-21T12:00:00.000Z',
  completed_at: '2026-11-21T12:05:00.000Z',
  ...facts,
});
const failed = past('b.avi', { status: 'failed', error: 'This is no video', video_id: null });
const stats = { files: 12, bytes: 4_700_000_000, completed: 10, failed: 1, in_progress: 1 };

const drawHistory = async (facts: object = {}) => {
  const items = [past('a.mp4'), failed];
  const drawn = await drawUpload({
    ...standardRoutes(),
    'GET /api/upload/history': () => historyOf(...items),
    'GET /api/upload/stats': () => ({ json: stats }),
    'DELETE /api/upload/file/a.mp4': () => {
      items.shift();
      return { status: 204 };
    },
    ...facts,
  });
  await settleLoaded();
  return drawn;
};
const rows = () => texts('tbody tr th');
const confirm = async () => {
  const found = [...(dialog()?.querySelectorAll('button') ?? [])].find((one) => one.textContent === 'Delete');
  await settle(() => found?.click());
  await settle();
  await settle();
};

test('past uploads are a table with their states, below the totals', async () => {
  const { screen } = await drawHistory();
  expect(texts('h2')).toContain('Past uploads');
  expect(screen.textContent).toContain('12 files, 4.7 GB · 10 completed · 1 in progress · 1 failed');
  expect(rows()).toEqual(['a.mp4', 'b.avi']);
  expect(texts('tbody tr:nth-child(2) td').slice(0, 2)).toEqual(['92 MB', 'Failed: This is no video']);
});

test('they are filtered by state', async () => {
  const { server } = await drawHistory();
  const select = document.querySelector('select') as HTMLSelectElement;
  await settle(() => {
    select.value = 'failed';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  expect(server.calls.slice(-1)).toEqual(['GET /api/upload/history?page=1&limit=20&status=failed']);
});

test('one is deleted after a question that says what goes with it', async () => {
  const { server } = await drawHistory();
  await press('Delete a.mp4');
  expect(dialog()?.textContent).toContain('Are you sure you want to delete the upload a.mp4? The video goes too.');
  expect(server.calls.some((call) => call.startsWith('DELETE'))).toBe(false);
  await confirm();
  expect(server.calls).toContain('DELETE /api/upload/file/a.mp4');
  expect(rows()).toEqual(['b.avi']);
});

test('where an upload has failed there is no video to go with it', async () => {
  await drawHistory();
  await press('Delete b.avi');
  expect(dialog()?.textContent).toContain('Are you sure you want to delete the upload b.avi?');
  expect(dialog()?.textContent).not.toContain('The video goes too.');
  await confirm();
});

test('one that the server keeps is back, with the reason', async () => {
  await drawHistory({
    'DELETE /api/upload/file/a.mp4': () => ({
      status: 403,
      json: { error: 'forbidden', message: 'This is not yours.' },
    }),
  });
  await press('Delete a.mp4');
  await confirm();
  expect(rows()).toEqual(['a.mp4', 'b.avi']);
  expect(texts('[role="alert"]').join()).toContain('Failed to delete upload: ');
});

test('one that another tab has deleted leaves the list without a failure', async () => {
  const items = [past('a.mp4'), failed];
  await drawHistory({
    'GET /api/upload/history': () => historyOf(...items),
    'DELETE /api/upload/file/a.mp4': () => {
      items.shift();
      return { status: 404, json: { error: 'not_found', message: 'This upload does not exist.' } };
    },
  });
  await press('Delete a.mp4');
  await confirm();
  expect([rows(), texts('[role="alert"]')]).toEqual([['b.avi'], []]);
});

test('nothing uploaded yet reads so', async () => {
  const { screen } = await drawHistory({
    'GET /api/upload/history': () => historyOf(),
    'GET /api/upload/stats': () => ({ json: { files: 0, bytes: 0, completed: 0, failed: 0, in_progress: 0 } }),
  });
  expect(screen.textContent).toContain('Nothing here yet.');
  expect(screen.textContent).not.toContain('0 files');
});

test('a list that fails to load can be asked for again', async () => {
  await drawHistory({
    'GET /api/upload/history': () => ({ status: 500, json: { error: 'internal', message: 'Sorry.' } }),
  });
  expect(texts('[role="alert"]').join()).toContain('Failed to load uploads: ');
  expect(button('Retry')).toBeTruthy();
});

test('without a network it waits, and nothing can be deleted', async () => {
  await drawHistory();
  await settle(() => {
    connection.isReachable = false;
  });
  expect(button('Delete a.mp4').disabled).toBe(true);
});

test('it is read again when a file is done', async () => {
  const { server } = await drawHistory();
  await settle(() => {
    uploads.rows = [row('c.mp4', { kind: 'uploading', resumedAt: null })];
  });
  const before = server.calls.length;
  await settle(() => {
    uploads.rows = [row('c.mp4', { kind: 'completed', videoId: 'v', note: null })];
  });
  await settle();
  expect(server.calls.slice(before)).toEqual(['GET /api/upload/history?page=1&limit=20', 'GET /api/upload/stats']);
});

test('it is read again when a file is taken out, and when the server was told', async () => {
  const { server } = await drawHistory();
  await settle(() => {
    uploads.rows = [row('c.mp4', { kind: 'uploading', resumedAt: null })];
  });
  const before = server.calls.length;
  await settle(() => Object.assign(uploads, { rows: [], ending: 1 }));
  await settle();
  await settle(() => Object.assign(uploads, { ending: 0 }));
  await settle();
  const reads = ['GET /api/upload/history?page=1&limit=20', 'GET /api/upload/stats'];
  expect(server.calls.slice(before)).toEqual([...reads, ...reads]);
});

test('one that the server keeps after Upload was left is told over the view', async () => {
  await drawHistory({
    'DELETE /api/upload/file/a.mp4': () => ({
      status: 403,
      json: { error: 'forbidden', message: 'This is not yours.' },
    }),
  });
  const { fetch } = globalThis;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.stubGlobal('fetch', (given: string, init: RequestInit) => held.then(() => fetch(given, init)));
  await press('Delete a.mp4');
  await confirm();
  await settle(() => {
    uploadAccess.policy = null;
  });
  release();
  await vi.waitFor(() => expect(lateFailure.sentence).toBe('Failed to delete upload: This is not yours.'));
  lateFailure.sentence = null;
});
