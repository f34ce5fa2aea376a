import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { isSameFile, readIdentity } from '#device/uploads/open-bytes.ts';
import { FileBytes } from '#device/uploads/upload-bytes.ts';
import { someBytes } from './memory-files.ts';

const size = 3 * limits.comparedBytes;

function withByte(at: number): Uint8Array<ArrayBuffer> {
  const bytes = someBytes(size);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

const bytesOf = (...parts: BlobPart[]) => new FileBytes(new Blob(parts));
const chosen = async () => ({ size, identity: await readIdentity(bytesOf(someBytes(size))) });

test('the same bytes under another name are the same file', async () => {
  expect(await isSameFile(await chosen(), bytesOf(someBytes(size)))).toBe(true);
});

test.each([
  ['a first byte', () => bytesOf(withByte(0))],
  ['a byte at the end of the first MiB', () => bytesOf(withByte(limits.comparedBytes - 1))],
  ['a last byte', () => bytesOf(withByte(size - 1))],
  ['a byte at the beginning of the last MiB', () => bytesOf(withByte(size - limits.comparedBytes))],
  ['a length', () => bytesOf(someBytes(size), 'x')],
])('another file differs by %s, with the same name', async (_, other) => {
  expect(await isSameFile(await chosen(), other())).toBe(false);
});

test('a file of which nothing is known is no other one', async () => {
  expect(await isSameFile({ size, identity: null }, bytesOf(someBytes(size)))).toBe(false);
});

test('a file that is shorter than what is compared is compared as a whole', async () => {
  const identity = await readIdentity(bytesOf('abc'));
  expect(identity.headHash).toBe(identity.tailHash);
  expect(await isSameFile({ size: 3, identity }, bytesOf('abc'))).toBe(true);
  expect(await isSameFile({ size: 3, identity }, bytesOf('abd'))).toBe(false);
});

test('no more than its head and its tail is read, however large it is', async () => {
  const read: number[] = [];
  const large = {
    size: limits.uploadBytes,
    slice: async (start: number, end: number) => {
      read.push(end - start);
      return new Blob([new Uint8Array(end - start)]);
    },
  };
  await readIdentity(large);
  expect(read).toEqual([limits.comparedBytes, limits.comparedBytes]);
});
