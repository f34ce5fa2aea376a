import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileCalls } from '#server/storage/storage.ts';
import { DiskStorage, systemFileCalls } from '#server/storage/storage.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

function openStorage(calls: Partial<FileCalls> = {}) {
  const folder = join(temporaryFolder(), 'uploads');
  return { folder, storage: new DiskStorage(folder, { ...systemFileCalls, ...calls }) };
}

async function* inPieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of bytes) text += Buffer.from(chunk).toString();
  return text;
}

test('stores a whole file, gives any part of it, lists it and removes it', async () => {
  const { storage } = openStorage();
  await storage.put('videos/ab/one', inPieces('four', 'fold'));
  expect(await storage.size('videos/ab/one')).toBe(8);
  expect(await readText(storage.readRange('videos/ab/one', 2, 6))).toBe('urfo');
  expect(await storage.list('videos/ab')).toEqual(['one']);
  await storage.remove('videos/ab/one');
  await storage.remove('videos/ab/one');
  expect([await storage.size('videos/ab/one'), await storage.list('nowhere')]).toEqual([null, []]);
});

test('shows nothing of a file that could not be stored whole', async () => {
  const { storage, folder } = openStorage({ sync: () => Promise.reject(new Error('EIO')) });
  await expect(storage.put('one', inPieces('half'))).rejects.toThrow('EIO');
  expect(await storage.size('one')).toBeNull();
  expect(readdirSync(folder).filter((name) => name === 'one')).toEqual([]);
});

test('replaces what had the name before', async () => {
  const { storage } = openStorage();
  await storage.put('one', inPieces('a long text'));
  await storage.put('one', inPieces('short'));
  expect(await readText(storage.readRange('one', 0, 5))).toBe('short');
});

describe('a growing file', () => {
  test('goes on where it ended, and ends where it is cut', async () => {
    const { storage, folder } = openStorage();
    const first = await storage.openGrowing('parts/one');
    await first.append([Buffer.from('four'), Buffer.from('fold')]);
    await first.close();
    const second = await storage.openGrowing('parts/one');
    expect(second.size).toBe(8);
    await second.truncate(4);
    await second.append([Buffer.from('th')]);
    await second.close();
    expect(readFileSync(join(folder, 'parts/one'), 'utf8')).toBe('fourth');
  });

  test('stores every byte when the system takes a few at a time', async () => {
    const { storage, folder } = openStorage({
      write: async (handle, chunks, position) =>
        (await handle.write(Buffer.concat(chunks).subarray(0, 3), 0, undefined, position)).bytesWritten,
    });
    const file = await storage.openGrowing('one');
    await file.append([Buffer.from('fo'), Buffer.from('ur'), Buffer.from('fold')]);
    await file.close();
    expect(readFileSync(join(folder, 'one'), 'utf8')).toBe('fourfold');
  });

  test('is never used again once a sync has failed', async () => {
    let syncs = 0;
    const { storage } = openStorage({
      sync: async (handle) => {
        const isFile = (await handle.stat()).isFile();
        syncs += isFile ? 1 : 0;
        if (isFile) throw new Error('EIO');
      },
    });
    const file = await storage.openGrowing('one');
    await expect(file.sync()).rejects.toThrow('EIO');
    await expect(file.sync()).rejects.toThrow('failed before');
    await expect(file.append([Buffer.from('a')])).rejects.toThrow('failed before');
    expect(syncs).toBe(1);
    await file.close();
  });

  test('is in its folder for good when it opens: the folders above it are synced', async () => {
    const synced: string[] = [];
    const { storage, folder } = openStorage({
      open: async (file, flags) => {
        synced.push(file.replace(folder, ''));
        return systemFileCalls.open(file, flags);
      },
    });
    await (await storage.openGrowing('parts/one')).close();
    expect(synced).toEqual(['', expect.stringMatching(/^\//), '/parts/one', '/parts']);
  });
});
