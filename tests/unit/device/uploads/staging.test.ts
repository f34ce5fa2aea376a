import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { DeviceDatabase } from '#device/device-database.ts';
import { openBytes } from '#device/uploads/open-bytes.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { FileBytes, readBlob, Staging, UploadPieces } from '#device/uploads/upload-bytes.ts';
import { UploadStore } from '#device/uploads/upload-store.ts';
import { fakeIndexedDb } from '../fake-indexed-db.ts';
import { fakeHandle, someBytes } from './memory-files.ts';
import { batch, uploads } from './uploads.ts';

const piece = limits.stagedPieceBytes;
const size = 2 * piece + 5;
const content = someBytes(size);

let store: UploadStore;
let pieces: UploadPieces;
let staging: Staging;

beforeEach(() => {
  fakeIndexedDb();
  const database = new DeviceDatabase();
  store = new UploadStore(database);
  pieces = new UploadPieces(database);
  staging = new Staging(pieces, {});
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const addFile = async (facts: Partial<QueuedUpload> = {}) => {
  const { uploads: added } = await store.add(batch('b'), uploads('b', { name: 'a', size, ...facts }));
  return added[0] as QueuedUpload;
};
const stored = async () => (await store.read('b'))?.uploads[0] as QueuedUpload;
const file = () => new FileBytes(new Blob([content]));
const read = async (bytes: UploadBytes, start: number, end: number) =>
  new Uint8Array(await readBlob(await bytes.slice(start, end)));

/** Millions of bytes: the matchers take seconds for them. */
function isSame(some: Uint8Array, other: Uint8Array): boolean {
  if (some.length !== other.length) return false;
  for (let at = 0; at < some.length; at += 1) if (some[at] !== other[at]) return false;
  return true;
}

/** Ends the copying after some pieces. */
function stopAfter(count: number, bytes = file()): [UploadBytes, AbortSignal] {
  const stop = new AbortController();
  let left = count;
  const slice = (start: number, end: number) => {
    left -= 1;
    if (left === 0) stop.abort();
    return bytes.slice(start, end);
  };
  return [{ size: bytes.size, slice }, stop.signal];
}

describe('a copy', () => {
  test('is read in any parts, after the file itself is gone', async () => {
    const upload = await staging.stage(await addFile(), file());
    expect(upload).toMatchObject({ stagedBytes: size, source: { kind: 'staged' } });
    const copy = (await openBytes(await stored(), pieces)) as UploadBytes;
    for (const [start, end] of [
      [0, size],
      [0, 1],
      [piece - 1, piece + 1],
      [piece, 2 * piece],
      [2 * piece + 4, size + 9],
      [size, size + 1],
    ] as const)
      expect(isSame(await read(copy, start, end), content.subarray(start, end))).toBe(true);
  });

  test('consists of pieces, none of which is large', async () => {
    await staging.stage(await addFile(), file());
    const lengths = await Promise.all([0, 1, 2, 3].map(async (at) => (await pieces.read('a', at))?.byteLength));
    expect(lengths).toEqual([piece, piece, 5, undefined]);
  });

  test('goes on where it was stopped, and is no source before it is whole', async () => {
    await staging.stage(await addFile(), ...stopAfter(2));
    expect(await stored()).toMatchObject({ stagedBytes: 2 * piece, source: { kind: 'picked-again' } });
    const [rest] = stopAfter(9);
    const slice = vi.spyOn(rest, 'slice');
    await staging.stage(await stored(), rest);
    expect([slice.mock.calls, (await stored()).source]).toEqual([[[2 * piece, size]], { kind: 'staged' }]);
  });

  test('is made once, when two tabs begin it', async () => {
    const upload = await addFile();
    await Promise.all([staging.stage(upload, file()), new Staging(pieces, {}).stage(upload, file())]);
    const whole = (await stored()).stagedBytes === size ? await stored() : await staging.stage(await stored(), file());
    const copy = (await openBytes(whole as QueuedUpload, pieces)) as UploadBytes;
    expect(isSame(await read(copy, 0, size), content)).toBe(true);
  });

  test('ends when its file is taken out of the list', async () => {
    const upload = await addFile();
    await store.removeUpload('a');
    expect([await staging.stage(upload, file()), await pieces.read('a', 0)]).toEqual([null, null]);
  });

  test('is dropped when the disk is full, and the file is sent as it is', async () => {
    const [bytes] = stopAfter(9);
    vi.spyOn(bytes, 'slice').mockImplementation(async (start, end) => {
      if (start > 0)
        vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(() => {
          throw new DOMException('No room', 'QuotaExceededError');
        });
      return file().slice(start, end);
    });
    await expect(staging.stage(await addFile(), bytes)).rejects.toThrow('No room');
    expect([await stored(), await pieces.read('a', 0)]).toMatchObject([
      { stagedBytes: 0, source: { kind: 'picked-again' } },
      null,
    ]);
  });

  test('of a file that the browser lost is none', async () => {
    const lost = { size, slice: async () => Object.defineProperty(new Blob(['']), 'size', { value: 5 }) };
    await expect(staging.stage(await addFile(), lost)).rejects.toThrow('The file cannot be read any more');
    expect(await stored()).toMatchObject({ stagedBytes: 0 });
  });

  test('goes when the file is completed', async () => {
    await staging.stage(await addFile(), file());
    expect(await store.updateUpload('a', { state: 'completed' })).toMatchObject({ stagedBytes: 0 });
    expect([await pieces.read('a', 0), await stored()]).toMatchObject([null, { stagedBytes: 0, state: 'completed' }]);
  });

  test('of which a piece is missing is none: the file is picked again', async () => {
    await staging.stage(await addFile(), file());
    const copy = (await openBytes(await stored(), pieces)) as UploadBytes;
    vi.spyOn(pieces, 'read').mockResolvedValue(null);
    await expect(copy.slice(0, 1)).rejects.toThrow('The copy of this file is incomplete');
    expect(await openBytes(await stored(), pieces)).toBe('pick-again');
  });
});

describe('a copy is made', () => {
  const has = (quota: number, usage = 0) => ({ estimate: async () => ({ quota, usage }) });
  const fits = async (facts: Partial<QueuedUpload>, storage = {}) =>
    new Staging(pieces, storage).hasRoom({ ...(await addFile()), ...facts });

  test('of up to 512 MiB', async () => {
    expect(await fits({ size: limits.stagedFileBytes })).toBe(true);
    expect(await fits({ size: limits.stagedFileBytes + 1 })).toBe(false);
  });

  test('within a fifth of what is left, of which a part may be there already', async () => {
    expect(await fits({ size: 200 }, has(1_500, 500))).toBe(true);
    expect(await fits({ size: 201 }, has(1_500, 500))).toBe(false);
    expect(await fits({ size: 300, stagedBytes: 100 }, has(1_500, 500))).toBe(true);
  });

  test('beside a handle where the browser keeps what is stored', async () => {
    const source = { kind: 'handle', handle: fakeHandle(() => new File([], 'a')) } as const;
    expect(await fits({ source })).toBe(false);
    expect(await fits({ source }, { persist: async () => false })).toBe(false);
    expect(await fits({ source }, { persist: async () => true })).toBe(true);
  });

  test('in a database alone', async () => {
    vi.stubGlobal('indexedDB', undefined);
    const upload = uploads('b', { name: 'a' })[0] as QueuedUpload;
    expect(await new Staging(new UploadPieces(new DeviceDatabase()), {}).hasRoom(upload)).toBe(false);
  });
});
