import { expect, test } from 'vitest';
import { ScanProgress } from '#server/features/library/scan/scanner.ts';

test('a first scan of an unknown library says what it has found, and not how far it is', () => {
  const progress = new ScanProgress(0);
  expect([progress.found, progress.percent]).toEqual([null, null]);
  progress.record(700);
  expect([progress.found, progress.percent]).toEqual([700, null]);
});

test('a scan is compared with the one before, and is never done before its end', () => {
  const progress = new ScanProgress(200);
  progress.record(50);
  expect(progress.percent).toBe(25);
  progress.record(900);
  expect(progress.percent).toBe(99);
  progress.end(1_000);
  progress.record(500);
  expect([progress.found, progress.percent]).toEqual([500, 50]);
});
