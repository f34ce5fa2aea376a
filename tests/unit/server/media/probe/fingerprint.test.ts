import { expect, test } from 'vitest';
import { fingerprint } from '#server/media/file-reading.ts';
import { countedSource } from '../containers/counted-source.ts';

const film = Buffer.alloc(1_000_000, 'pictures and sound, ');
const of = (bytes: Uint8Array) => fingerprint(countedSource(bytes));

function changedAt(at: number): Buffer {
  const bytes = Buffer.from(film);
  bytes.writeUInt8(1, at);
  return bytes;
}

test('a copy has the fingerprint of its original', () => {
  expect(of(Buffer.from(film))).toBe(of(film));
  expect(of(film)).toMatch(/^[0-9a-f]{32}$/);
});

test.each([
  ['its start', 0],
  ['its middle', 500_000],
  ['its end', 999_999],
])('a file that differs at %s has another', (_, at) => {
  expect(of(changedAt(at))).not.toBe(of(film));
});

test('a small file is read whole', () => {
  const small = film.subarray(0, 40_000);
  const other = Buffer.from(small);
  other.writeUInt8(1, 20_100);
  expect(of(other)).not.toBe(of(small));
});

test('empty room of another size is another file', () => {
  expect(of(Buffer.alloc(1_000_000))).not.toBe(of(Buffer.alloc(1_000_001)));
});

test('of a large file little is read', () => {
  const source = countedSource(film);
  fingerprint(source);
  expect(source.bytesRead).toBe(48 * 1024);
});

test('an empty file has none', () => {
  expect(of(new Uint8Array())).toBeNull();
});

test('a file that became shorter is said to be so', () => {
  const source = countedSource(film);
  expect(() => fingerprint({ ...source, size: 2_000_000 })).toThrow(RangeError);
});
