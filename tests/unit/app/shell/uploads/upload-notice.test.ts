import { expect, test } from 'vitest';
import { noticeOf } from '#app/shell/upload-indicator.tsx';
import type { UploadStatus } from '#app/state/uploads/uploads-state.ts';
import { completed, failed, uploading, uploadRow, waiting } from './upload-rows.ts';

const noticeOfAll = (statuses: UploadStatus[], secondsLeft: number | null = null) =>
  noticeOf({ rows: statuses.map((status) => uploadRow(status)), shared: [], secondsLeft });

test.each<[number | null, string]>([
  [null, '2 files'],
  [59, '2 files, less than 1 min left'],
  [60, '2 files, 1 min left'],
  [170, '2 files, 3 min left'],
  [3_541, '2 files, 1 h left'],
  [7_500, '2 files, 2 h 5 min left'],
])('with %s seconds left, what moves reads: %s', (secondsLeft, words) => {
  expect(noticeOfAll([uploading, waiting('turn')], secondsLeft)).toEqual({ count: 2, words, tone: 'plain' });
});

test.each<[UploadStatus, string, string]>([
  [waiting('network'), '1 file waits for the network', 'warn'],
  [waiting('wifi'), '1 file waits for Wi-Fi', 'warn'],
  [waiting('start'), '1 file waits for you', 'warn'],
  [waiting('pick-again'), '1 file waits for you', 'warn'],
  [waiting('permission'), '1 file waits for you', 'warn'],
  [waiting('sign-in'), '1 file waits for you', 'warn'],
  [waiting('paused'), '1 file paused', 'plain'],
  [waiting('other-tab'), '1 file in another tab', 'plain'],
  [{ kind: 'sent' }, '1 file in processing', 'plain'],
  [{ kind: 'processing' }, '1 file in processing', 'plain'],
  [failed, '1 file failed', 'danger'],
])('%o reads: %s', (status, words, tone) => {
  expect(noticeOfAll([status])).toEqual({ count: 1, words, tone });
});

test('several read in the plural', () => {
  expect(noticeOfAll([waiting('network'), waiting('network')]).words).toBe('2 files wait for the network');
});

test('what moves is said before what waits, and what has failed before both', () => {
  const statuses = [uploading, waiting('network'), failed, completed];
  expect(noticeOfAll(statuses, 100)).toEqual({
    count: 3,
    words: '1 file failed\u00a0· 1 file, 2 min left',
    tone: 'danger',
  });
});

test('completed files are nothing to say anything about', () => {
  expect(noticeOfAll([completed, completed])).toEqual({ count: 0, words: '', tone: 'plain' });
});

test('shared files wait for somebody to add them', () => {
  const shared = [{ batchId: 'share', names: ['a.mp4', 'b.mp4'], size: 2 }];
  expect(noticeOf({ rows: [], shared, secondsLeft: null })).toEqual({
    count: 2,
    words: '2 shared files to add',
    tone: 'warn',
  });
});
