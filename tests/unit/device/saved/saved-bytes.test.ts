import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { DeviceDatabase } from '#device/device-database.ts';
import { findPlace, PieceFiles, PieceRecords, SavedBytes } from '#device/saved/saved-bytes.ts';
import { fakeIndexedDb } from '../fake-indexed-db.ts';
import type { FakePrivateFiles } from './fake-private-files.ts';
import { fakePrivateFiles } from './fake-private-files.ts';

const { savedPieceBytes } = limits;
const size = 2 * savedPieceBytes + 10;
const film = { id: 'v1', size, type: 'video/mp4' };

beforeEach(fakeIndexedDb);
afterEach(() => vi.unstubAllGlobals());

const piece = (index: number) =>
  new Blob([new Uint8Array(index === 2 ? 10 : savedPieceBytes).fill(index + 1)], { type: 'video/mp4' });

describe.each([
  ['files', () => new PieceFiles(fakePrivateFiles().root)],
  ['records', () => new PieceRecords(new DeviceDatabase())],
])('as %s', (_, createPlace) => {
  let bytes: SavedBytes;

  beforeEach(() => {
    bytes = new SavedBytes(createPlace());
  });

  const fill = async (indexes: readonly number[], id = 'v1') => {
    for (const index of indexes) await bytes.write(id, index, piece(index));
  };

  test('the pieces of a video are one blob of its type, in their order', async () => {
    await fill([2, 0, 1]);
    const whole = await bytes.open(film);
    expect([whole?.size, whole?.type]).toEqual([size, 'video/mp4']);
    const content = new Uint8Array((await whole?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect([content[0], content[savedPieceBytes], content[size - 1]]).toEqual([1, 2, 3]);
  });

  test('a piece that is missing, too short or of another video makes no blob', async () => {
    expect(await bytes.open(film)).toBeNull();
    await fill([0, 2]);
    expect(await bytes.open(film)).toBeNull();
    await bytes.write('v2', 1, piece(1));
    expect(await bytes.open(film)).toBeNull();
    await bytes.write('v1', 1, new Blob(['short']));
    expect(await bytes.open(film)).toBeNull();
    await bytes.write('v1', 1, piece(1));
    expect((await bytes.open(film))?.size).toBe(size);
  });

  test('what is there is measured up to the first gap', async () => {
    expect(await bytes.measure(film)).toBe(0);
    await fill([0, 2]);
    expect(await bytes.measure(film)).toBe(savedPieceBytes);
    await fill([1]);
    expect(await bytes.measure(film)).toBe(size);
  });

  test('bytes are removed with their video, and no others', async () => {
    await fill([0, 1]);
    await fill([0], 'v2');
    await bytes.remove('v1');
    await bytes.remove('never-there');
    expect(await bytes.listOwners()).toEqual(['v2']);
    expect(await bytes.measure(film)).toBe(0);
  });

  test('bytes that cannot be read any more are no video', async () => {
    await fill([0, 1, 2]);
    vi.stubGlobal(
      'Response',
      class {
        arrayBuffer = () => Promise.reject(new DOMException('The file is gone', 'NotFoundError'));
      },
    );
    expect(await bytes.open(film)).toBeNull();
  });
});

test('a disk that is full at any piece leaves whole pieces, and goes on from there', async () => {
  for (let full = 0; full <= 2; full += 1) {
    const files = fakePrivateFiles();
    const bytes = new SavedBytes(new PieceFiles(files.root));
    files.free = full * savedPieceBytes;
    for (const index of [0, 1, 2]) await bytes.write('v1', index, piece(index)).catch(() => {});
    expect(await bytes.measure(film)).toBe(full * savedPieceBytes);
    files.free = Number.POSITIVE_INFINITY;
    for (const index of [0, 1, 2]) await bytes.write('v1', index, piece(index));
    expect((await bytes.open(film))?.size).toBe(size);
  }
});

test('a private folder that is lost beneath the app is no video, and may be written anew', async () => {
  const files = fakePrivateFiles();
  const bytes = new SavedBytes(new PieceFiles(files.root));
  for (const index of [0, 1, 2]) await bytes.write('v1', index, piece(index));
  files.lose('saved/v1/1');
  expect(await bytes.open(film)).toBeNull();
  expect(await bytes.measure(film)).toBe(savedPieceBytes);
  await bytes.write('v1', 1, piece(1));
  expect((await bytes.open(film))?.size).toBe(size);
});

describe('sixteen pieces', () => {
  const long = { id: 'v1', size: 17 * savedPieceBytes + 10, type: 'video/mp4' };
  const indexes = Array.from({ length: 18 }, (_, index) => index);
  const pieceOf = (index: number) => new Blob([new Uint8Array(index === 17 ? 10 : savedPieceBytes).fill(index + 1)]);
  let files: FakePrivateFiles;
  let bytes: SavedBytes;

  beforeEach(() => {
    files = fakePrivateFiles();
    bytes = new SavedBytes(new PieceFiles(files.root));
  });

  /** The first byte of each piece. */
  async function readFirstBytes(): Promise<number[] | undefined> {
    const whole = await bytes.open(long);
    const firsts = indexes.map((index) => whole?.slice(index * savedPieceBytes, index * savedPieceBytes + 1));
    return whole
      ? Promise.all(firsts.map(async (one) => new Uint8Array(await new Response(one).arrayBuffer())[0] ?? 0))
      : undefined;
  }

  test('become one file, and are read in their order', async () => {
    for (const index of indexes) await bytes.write('v1', index, pieceOf(index));
    expect(files.paths()).toEqual(['saved/v1/0-15', 'saved/v1/16', 'saved/v1/17']);
    expect(await readFirstBytes()).toEqual(indexes.map((index) => index + 1));
    expect(await bytes.measure(long)).toBe(long.size);
  });

  test('stay as they are where there is no room for a copy', async () => {
    files.free = 20 * savedPieceBytes;
    for (const index of indexes) await bytes.write('v1', index, pieceOf(index));
    expect(files.paths()).toContain('saved/v1/15');
    expect(await readFirstBytes()).toEqual(indexes.map((index) => index + 1));
  });

  test('are fetched again when their file is lost or cut', async () => {
    for (const index of indexes) await bytes.write('v1', index, pieceOf(index));
    files.lose('saved/v1/0-15');
    expect([await bytes.measure(long), await bytes.open(long)]).toEqual([0, null]);
    for (const index of indexes.slice(0, 16)) await bytes.write('v1', index, pieceOf(index));
    expect(await readFirstBytes()).toEqual(indexes.map((index) => index + 1));
  });

  test('are read from either place when a crash leaves both', async () => {
    for (const index of indexes) await bytes.write('v1', index, pieceOf(index));
    await bytes.write('v1', 3, pieceOf(3));
    expect(await readFirstBytes()).toEqual(indexes.map((index) => index + 1));
  });
});

describe('the place', () => {
  const refusing = new PieceFiles(() => Promise.reject(new DOMException('Not in a private window', 'SecurityError')));

  test('is the first one that gives back what it took, and is left empty', async () => {
    const files = fakePrivateFiles();
    const records = new PieceRecords(new DeviceDatabase());
    const bytes = await findPlace([refusing, new PieceFiles(files.root), records]);
    await bytes?.write('v1', 0, piece(0));
    expect(files.paths()).toEqual(['saved/v1/0']);
    expect(await records.listOwners()).toEqual([]);
  });

  test('is the database where there are no private files', async () => {
    const records = new PieceRecords(new DeviceDatabase());
    const bytes = await findPlace([refusing, records]);
    await bytes?.write('v1', 0, piece(0));
    expect(await records.listOwners()).toEqual(['v1']);
  });

  test('is found though a tab that starts sweeps the trial away', async () => {
    const files = fakePrivateFiles();
    class Swept extends PieceFiles {
      private isSwept = false;

      override async write(ownerId: string, index: number, bytes: Blob): Promise<void> {
        await super.write(ownerId, index, bytes);
        if (!this.isSwept) await this.remove(ownerId);
        this.isSwept = true;
      }
    }
    const bytes = await findPlace([new Swept(files.root)]);
    await bytes?.write('v1', 0, piece(0));
    expect(files.paths()).toEqual(['saved/v1/0']);
  });

  test('is nowhere in a window that stores nothing', async () => {
    vi.stubGlobal('indexedDB', undefined);
    expect(await findPlace([refusing, new PieceRecords(new DeviceDatabase())])).toBeNull();
  });
});
