import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import { DiskStorage, systemFileCalls } from '#server/storage/disk-storage.ts';
import { provesStorage } from '#tests/support/storage/storage-contract.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

function openStorage(calls: Partial<FileCalls> = {}) {
  const folder = join(temporaryFolder(), 'uploads');
  return { folder, storage: new DiskStorage(folder, { calls: { ...systemFileCalls, ...calls } }) };
}

async function* inPieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

describe('a storage on a disk', () => {
  provesStorage(() => openStorage().storage);
});

test('shows nothing of a file that could not be stored whole, and leaves nothing beside it', async () => {
  const { storage, folder } = openStorage({ sync: () => Promise.reject(new Error('EIO')) });
  await expect(storage.put('one', inPieces('half'))).rejects.toThrow('EIO');
  expect(await storage.find('one')).toBeNull();
  expect(readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([]);
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
