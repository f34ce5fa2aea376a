import { expect, test } from 'vitest';
import {
  checkExtension,
  checkFileBytes,
  checkFilename,
  checkUploadFile,
  extensionOf,
  rejectedFiles,
} from '#contract/rules/upload-file.ts';

const unsupported = 'Unsupported format. Supported formats: .mp4, .mov, .avi, .mkv, .m4v, .wmv, .flv, .webm';

test.each([
  ['a.mp4', null],
  ['a.MP4', null],
  ['a.Mov', null],
  ['a.avi', null],
  ['a.mkv', null],
  ['a.m4v', null],
  ['a.wmv', null],
  ['a.flv', null],
  ['a.webm', null],
  ['two.dots.mp4', null],
  ['.mp4', null],
  ['a.mp4.html', unsupported],
  ['a.mp4 ', unsupported],
  ['a.mp3', unsupported],
  ['a.svg', unsupported],
  ['a.m3u8', unsupported],
  ['mp4', unsupported],
  ['a.', unsupported],
  ['', unsupported],
])('the file %j is answered with %j', (filename, sentence) => {
  expect(checkExtension(filename)).toBe(sentence);
});

test.each([
  [5_368_709_119, null],
  [5_368_709_120, null],
  [5_368_709_121, 'File size exceeds 5GB limit'],
  [1, null],
  [0, 'File is empty'],
  [-1, 'File is empty'],
])('a file of %d bytes is answered with %j', (bytes, sentence) => {
  expect(checkFileBytes(bytes)).toBe(sentence);
});

test.each([
  ['a.mp4', null],
  ['../../etc/passwd.mp4', null],
  [' ', 'A file needs a name'],
  [`${'a'.repeat(251)}.mp4`, null],
  [`${'a'.repeat(252)}.mp4`, 'A file name has at most 255 bytes'],
  [`${'é'.repeat(126)}.mp4`, 'A file name has at most 255 bytes'],
])('the name %j is answered with %j', (filename, sentence) => {
  expect(checkFilename(filename)).toBe(sentence);
});

test('a file of the wrong kind hears about its kind first', () => {
  expect(checkUploadFile({ filename: 'a.txt', bytes: 6_000_000_000 })).toBe(unsupported);
  expect(checkUploadFile({ filename: 'a.mp4', bytes: 6_000_000_000 })).toBe('File size exceeds 5GB limit');
  expect(checkUploadFile({ filename: 'a.mp4', bytes: 600 })).toBeNull();
});

test('an extension is what follows the last dot, in small letters', () => {
  expect(extensionOf('Holiday.2026.MOV')).toBe('.mov');
  expect(extensionOf('holiday')).toBe('');
});

test('refused files are told of together, a line each', () => {
  const rejections = [
    { filename: 'a.txt', reason: unsupported },
    { filename: 'b.mp4', reason: 'File size exceeds 5GB limit' },
  ];

  expect(rejectedFiles(rejections)).toBe(
    `Some files were rejected:\na.txt: ${unsupported}\nb.mp4: File size exceeds 5GB limit`,
  );
});
