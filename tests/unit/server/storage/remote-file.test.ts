import { afterEach, describe, expect, test, vi } from 'vitest';
import { RemoteFile } from '#server/storage/remote-file.ts';
import type { SharedFile } from '#server/storage/storage.ts';
import { RemoteShelf } from '#tests/support/storage/remote-shelf.ts';

const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => (at * 31) % 251));

afterEach(() => {
  vi.useRealTimers();
});

async function openFilm(window?: { start: number; end: number } | null) {
  const shelf = new RemoteShelf();
  shelf.put('film', bytes);
  const opened = await RemoteFile.open(shelf, 'film', { size: bytes.length, modifiedUs: null }, window);
  if (opened.kind !== 'opened') throw new Error(`The film is ${opened.kind}.`);
  return { shelf, file: opened.file };
}

/** Reads to the end of a window, or as many bytes as are asked for. */
async function readFrom(file: SharedFile, start: number, length: number): Promise<Buffer> {
  const into = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const read = await file.read(into.subarray(filled, Math.min(length, filled + 700)), start + filled);
    if (read === 0) return into.subarray(0, filled);
    filled += read;
  }
  return into;
}

test('asks once for what an answer holds, when it is opened', async () => {
  const { shelf, file } = await openFilm({ start: 5_000, end: 9_999 });
  expect(shelf.asked).toEqual(['film 5000-9999']);
  expect((await readFrom(file, 5_000, 5_000)).equals(bytes.subarray(5_000, 10_000))).toBe(true);
  file.release();
  expect([shelf.asked.length, shelf.readBytes]).toEqual([1, 5_000]);
});

test('asks for nothing where nothing is going to be sent', async () => {
  const { shelf, file } = await openFilm(null);
  file.release();
  expect(shelf.asked).toEqual([]);
});

test('reads no further than it is read, and ends its request when it is released', async () => {
  const { shelf, file } = await openFilm({ start: 0, end: bytes.length - 1 });
  await readFrom(file, 0, 2_500);
  expect(shelf.readBytes).toBe(3_000);
  file.release();
  await vi.waitFor(() => expect(shelf.ended).toBe(1));
  expect(shelf.readBytes).toBe(3_000);
});

test('passes over a small gap, and asks anew for what lies far ahead or behind', async () => {
  const { shelf, file } = await openFilm({ start: 0, end: bytes.length - 1 });
  for (const at of [0, 5_000, 900_000, 100, 101_000])
    expect((await readFrom(file, at, 900)).equals(bytes.subarray(at, at + 900))).toBe(true);
  expect(shelf.asked.map((asked) => asked.split(' ')[1]?.split('-')[0])).toEqual(['0', '900000', '100']);
  file.release();
});

test('ends a request that nobody has read from for 20 s, and goes on where it was', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { shelf, file } = await openFilm({ start: 0, end: bytes.length - 1 });
  await readFrom(file, 0, 1_000);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(shelf.ended).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(shelf.ended).toBe(1);
  expect((await readFrom(file, 1_000, 3_000)).equals(bytes.subarray(1_000, 4_000))).toBe(true);
  expect(shelf.asked).toEqual(['film 0-999999', 'film 1000-999999']);
  file.release();
  expect(vi.getTimerCount()).toBe(0);
});

test('any order of reads gives the bytes of the file', async () => {
  const { file } = await openFilm();
  let seed = 7;
  const below = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % most;
  };
  for (let turn = 0; turn < 200; turn += 1) {
    const start = below(bytes.length + 10);
    const length = below(5_000);
    expect((await readFrom(file, start, length)).equals(bytes.subarray(start, start + length))).toBe(true);
  }
  file.release();
});

describe('a file that is not the expected one', () => {
  const open = async (shelf: RemoteShelf, window?: { start: number; end: number }) =>
    (await RemoteFile.open(shelf, 'film', { size: 4, modifiedUs: 2_000_000 }, window)).kind;

  test.each([[undefined], [{ start: 0, end: 3 }]])('is not read (%j)', async (window) => {
    const shelf = new RemoteShelf();
    expect(await open(shelf, window)).toBe('gone');
    shelf.put('film', Buffer.from('longer'), 2_000_000);
    expect(await open(shelf, window)).toBe('changed');
    shelf.put('film', Buffer.from('late'), 3_000_000);
    expect(await open(shelf, window)).toBe('changed');
    shelf.put('film', Buffer.from('this'), 2_000_000);
    expect(await open(shelf, window)).toBe('opened');
    expect(shelf.readBytes).toBe(0);
  });
});

test('says that it has become shorter, and fails where the store does', async () => {
  const { shelf, file } = await openFilm();
  shelf.put('film', bytes.subarray(0, 5_000));
  await expect(readFrom(file, 4_000, 2_000)).rejects.toThrow('shorter');
  shelf.put('film', bytes);
  shelf.beforeChunk = () => {
    throw new Error('The store stopped.');
  };
  await expect(readFrom(file, 500_000, 10)).rejects.toThrow('The store stopped.');
  file.release();
});
