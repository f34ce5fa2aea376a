import { expect, test } from 'vitest';
import { actionsOf, hasBar, sizeWords, wordsOf } from '#app/features/upload/upload-row.tsx';
import { leftText, percentOf, speedText, summaryOf } from '#app/features/upload/upload-summary.ts';
import type { UploadRow, UploadStatus, UploadWait } from '#app/state/uploads/uploads-state.ts';
import { sizeText } from '#app/ui/texts.ts';

const rowOf = (status: UploadStatus, facts: Partial<UploadRow> = {}): UploadRow => ({
  id: 'a',
  batchId: 'b',
  name: 'a.mp4',
  size: 1000,
  acknowledgedBytes: 710,
  speed: null,
  secondsLeft: null,
  resumesByItself: true,
  status,
  ...facts,
});
const waiting = (reason: UploadWait) => rowOf({ kind: 'waiting', reason });

const waits: Record<UploadWait, string> = {
  start: 'Waiting',
  turn: 'Waiting',
  network: 'Waiting for network. Resumes by itself',
  wifi: 'Waiting for Wi-Fi. Resumes by itself',
  retry: 'Waiting for another attempt. Resumes by itself',
  paused: 'Paused',
  'pick-again': 'Choose the file again to go on',
  permission: 'Allow reading the file again to go on',
  'other-tab': 'Sending in another tab',
  'sign-in': 'Waiting for you to sign in again',
};

test.each(Object.entries(waits))('a file that waits (%s) reads "%s"', (reason, line) => {
  expect(wordsOf(waiting(reason as UploadWait)).line).toBe(line);
});

const uploading = { kind: 'uploading', resumedAt: null } as const;
const words: [string, UploadRow][] = [
  ['Uploading. Resumes by itself', rowOf(uploading)],
  ['Uploading', rowOf(uploading, { resumesByItself: false })],
  ['Uploading. Resumes by itself', rowOf(uploading, { speed: 0, acknowledgedBytes: 0 })],
  ['0 bytes/s. Resumes by itself', rowOf(uploading, { speed: 0, acknowledgedBytes: 500 })],
  ['8.4 MB/s. Resumes by itself', rowOf(uploading, { speed: 8_400_000 })],
  ['8.4 MB/s, 22 s left', rowOf(uploading, { speed: 8_400_000, secondsLeft: 22, resumesByItself: false })],
  ['Uploading. It is sent from the beginning.', rowOf(uploading, { note: 'It is sent from the beginning.' })],
  ['Resuming from 71%', rowOf({ kind: 'uploading', resumedAt: 71.9 })],
  ['Uploaded', rowOf({ kind: 'sent' })],
  ['Processing...', rowOf({ kind: 'processing' })],
  ['Completed', rowOf({ kind: 'completed', videoId: 'v', note: null })],
  ['Completed. Browsers cannot play it.', rowOf({ kind: 'completed', videoId: 'v', note: 'Browsers cannot play it.' })],
  ['Error: Upload was aborted', rowOf({ kind: 'failed', message: 'Upload was aborted' })],
];

test.each(words)('a file reads "%s"', (line, row) => {
  expect(wordsOf(row).line).toBe(line);
});

test('the bar is there while bytes move or are there to go on from', () => {
  expect(hasBar(rowOf(uploading, { acknowledgedBytes: 0 }))).toBe(true);
  expect(hasBar(waiting('network'))).toBe(true);
  expect(hasBar(rowOf({ kind: 'waiting', reason: 'turn' }, { acknowledgedBytes: 0 }))).toBe(false);
  for (const { kind } of [{ kind: 'sent' }, { kind: 'processing' }] as const)
    expect(hasBar(rowOf({ kind }))).toBe(false);
  expect(hasBar(rowOf({ kind: 'failed', message: 'x' }))).toBe(false);
});

test('a size stands alone, and beside what has arrived while it moves', () => {
  const facts = { size: 1_890_000_000, acknowledgedBytes: 1_210_000_000 };
  expect(sizeWords(rowOf(uploading, facts), sizeText)).toBe('1.2 GB of 1.9 GB');
  expect(sizeWords(rowOf({ kind: 'sent' }, facts), sizeText)).toBe('1.9 GB');
});

test.each([
  [0.2, '1 s left'],
  [59.1, '1 min left'],
  [82, '1 min 22 s left'],
  [3600, '1 h left'],
  [7500, '2 h 5 min left'],
])('%s s read "%s"', (seconds, text) => {
  expect(leftText(seconds)).toBe(text);
});

test('speeds are by the second, and 100 percent means that nothing is missing', () => {
  expect(speedText(92_000)).toBe('92 kB/s');
  expect([percentOf(999_999, 1_000_000), percentOf(5, 5), percentOf(0, 0)]).toEqual([99, 100, 0]);
});

const pending: [UploadWait, string[], string[]][] = [
  ['start', ['remove'], ['remove']],
  ['turn', ['pause', 'remove'], ['pause', 'remove']],
  ['network', ['pause', 'remove'], ['pause']],
  ['wifi', ['pause', 'remove'], ['pause']],
  ['retry', ['pause', 'remove'], ['pause']],
  ['paused', ['resume', 'remove'], ['resume', 'remove']],
  ['pick-again', ['pick-again', 'remove'], ['pick-again', 'remove']],
  ['permission', ['allow', 'remove'], ['allow', 'remove']],
  ['other-tab', ['remove'], []],
  ['sign-in', ['remove'], ['remove']],
];

test.each(pending)('what waits (%s) offers %j, and while others move %j', (reason, atRest, whileMoving) => {
  expect(actionsOf(waiting(reason), false)).toEqual(atRest);
  expect(actionsOf(waiting(reason), true)).toEqual(whileMoving);
});

test('on a TV, where no file can be chosen, a row whose file is needed can only be removed', () => {
  expect(actionsOf(waiting('pick-again'), false, false)).toEqual(['remove']);
  expect(actionsOf(waiting('paused'), false, false)).toEqual(['resume', 'remove']);
});

test('what moves is never removed, what failed always, what is done once nothing runs', () => {
  expect(actionsOf(rowOf(uploading), true)).toEqual(['pause']);
  expect(actionsOf(rowOf({ kind: 'failed', message: 'x' }), true)).toEqual(['retry', 'remove']);
  for (const status of [
    { kind: 'sent' },
    { kind: 'processing' },
    { kind: 'completed', videoId: null, note: null },
  ] as const) {
    expect(actionsOf(rowOf(status), true)).toEqual([]);
    expect(actionsOf(rowOf(status), false)).toEqual(['remove']);
  }
});

test('the summary counts by bytes, and a completed file as a whole', () => {
  const summary = summaryOf([
    rowOf({ kind: 'completed', videoId: null, note: null }, { acknowledgedBytes: 0 }),
    rowOf({ kind: 'failed', message: 'x' }, { acknowledgedBytes: 0 }),
    rowOf(uploading, { acknowledgedBytes: 500 }),
    waiting('start'),
  ]);
  expect(summary).toEqual({
    total: 4,
    completed: 1,
    failed: 1,
    ready: 1,
    percent: 55,
    isMoving: true,
    isRunning: true,
    hasPaused: false,
  });
});

test('what has arrived of a failed file is no progress', () => {
  const failed = rowOf({ kind: 'failed', message: 'x' }, { acknowledgedBytes: 1_000 });
  expect(summaryOf([failed, rowOf({ kind: 'sent' }, { acknowledgedBytes: 1_000 })]).percent).toBe(50);
});

test.each([
  ['turn', true],
  ['network', true],
  ['wifi', true],
  ['retry', true],
  ['other-tab', true],
  ['start', false],
  ['paused', false],
  ['pick-again', false],
  ['permission', false],
  ['sign-in', false],
] as [UploadWait, boolean][])('what waits (%s) goes on by itself: %s', (reason, isRunning) => {
  expect(summaryOf([waiting(reason)])).toMatchObject({ isRunning, isMoving: false });
});
