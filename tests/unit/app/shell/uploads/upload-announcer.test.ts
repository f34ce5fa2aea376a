import { beforeEach, expect, test } from 'vitest';
import { UploadAnnouncer } from '#app/shell/upload-indicator.tsx';
import type { UploadStatus } from '#app/state/uploads/uploads-state.ts';
import { completed, failed, uploading, uploadRow, waiting } from './upload-rows.ts';

let announcer: UploadAnnouncer;

beforeEach(() => {
  announcer = new UploadAnnouncer();
});

/** What is said when the files of a batch are like this now. */
const hear = (statuses: UploadStatus[], batchId = 'batch') =>
  announcer.update(
    statuses.map((status, at) => uploadRow(status, { id: `${batchId}-${at}`, name: `${at}.mp4`, batchId })),
  );

test('a batch is said to begin once, whatever interrupts it', () => {
  expect(hear([waiting('start'), waiting('start')])).toEqual([]);
  expect(hear([uploading, waiting('turn')])).toEqual(['Uploading 2 files.']);
  expect(hear([waiting('network'), waiting('network')])).toEqual([]);
  expect(hear([uploading, uploading])).toEqual([]);
  expect(hear([completed, uploading])).toEqual([]);
});

test('each batch is said to begin', () => {
  expect(hear([uploading])).toEqual(['Uploading 1 file.']);
  expect(hear([uploading], 'next')).toEqual(['Uploading 1 file.']);
});

test('the end is said once for the whole batch', () => {
  hear([uploading, uploading]);
  expect(hear([completed, { kind: 'processing' }])).toEqual([]);
  expect(hear([completed, completed])).toEqual(['All 2 videos are uploaded.']);
  expect(hear([completed, completed])).toEqual([]);
});

test('a batch of one says so', () => {
  hear([uploading]);
  expect(hear([completed])).toEqual(['1 video is uploaded.']);
});

test('a failure is said with its file, several together as their number', () => {
  hear([uploading, uploading, uploading]);
  expect(hear([failed, uploading, uploading])).toEqual(['0.mp4 failed to upload.']);
  expect(hear([failed, failed, failed])).toEqual(['2 files failed to upload.']);
});

test('the end of a batch of which a part failed says how many came', () => {
  hear([uploading, uploading]);
  hear([failed, uploading]);
  expect(hear([failed, completed])).toEqual(['1 of 2 videos is uploaded.']);
});

test('what was over before is not said again', () => {
  expect(hear([completed, failed])).toEqual([]);
});
