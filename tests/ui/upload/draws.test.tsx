import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { summaryOf } from '#app/features/upload/upload-summary.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { countCalls } from '#tests/support/count-calls.ts';
import { settle } from '../draw.tsx';
import { drawUpload, leaveUpload, settleLoaded } from './draw-upload.tsx';
import { recordingQueue, resetUploads, row } from './recording-queue.ts';

vi.mock('#app/state/uploads/load-upload-queue.ts', () => ({
  withQueue: async (action: (queue: typeof recordingQueue) => Promise<unknown>) => action(recordingQueue),
}));

beforeEach(resetUploads);
afterEach(leaveUpload);

const show = (...rows: (typeof uploads)['rows']) => settle(() => Object.assign(uploads, { rows }));

test('a piece of a file that was confirmed computes the summary of all files once', async () => {
  await drawUpload();
  const sending = { kind: 'uploading', resumedAt: null } as const;
  await show(row('a.mp4', sending), row('b.mp4'));
  await settleLoaded();
  const calls = await countCalls(() => show(row('a.mp4', sending, { acknowledgedBytes: 400_000_000 }), row('b.mp4')));
  expect(document.body.textContent).toContain('20%');
  expect(calls(summaryOf.name)).toBe(1);
});
