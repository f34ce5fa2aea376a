import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DerivedFiles } from '#server/storage/derived-files.ts';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import { DiskStorage, systemFileCalls } from '#server/storage/disk-storage.ts';
import { CallFaults } from '#tests/support/storage/call-faults.ts';
import { UnsyncedDisk } from '#tests/support/storage/unsynced-disk.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

function openFiles(calls: FileCalls = systemFileCalls, parent = temporaryFolder()) {
  const folder = join(parent, 'derived');
  const work = join(parent, 'work');
  mkdirSync(work, { recursive: true });
  const finish = (text: string, name = 'out.mp4') => {
    writeFileSync(join(work, name), text);
    return join(work, name);
  };
  const storage = new DiskStorage(folder, { calls });
  const fileOf = (content: string, extension: string) => join(folder, content.slice(0, 2), `${content}${extension}`);
  return { folder, work, finish, fileOf, storage, files: new DerivedFiles(storage) };
}

function listStored(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

test('takes a finished file over under the name of its content', async () => {
  const { files, fileOf, finish, work, folder } = openFiles();
  const { content, bytes } = await files.adopt(finish('a film'), '.mp4');
  expect([content, bytes]).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/), 6]);
  expect(readFileSync(fileOf(content, '.mp4'), 'utf8')).toBe('a film');
  expect([readdirSync(work), listStored(folder)]).toEqual([[], [`${content}.mp4`]]);
});

test('stores equal content once, whichever way it comes', async () => {
  const { files, finish, folder } = openFiles();
  const stored = [
    await files.adopt(finish('tracks'), '.vtt'),
    await files.adopt(finish('tracks', 'again'), '.vtt'),
    await files.put(Buffer.from('tracks'), '.vtt'),
  ];
  expect(new Set(stored.map(({ content }) => content)).size).toBe(1);
  expect(listStored(folder)).toEqual([`${stored[0]?.content}.vtt`]);
});

test('gives a small file whole, and nothing when it is gone', async () => {
  const { files } = openFiles();
  const { content } = await files.put(Buffer.from('a sheet'), '.webp');
  expect((await files.read(content, '.webp'))?.toString()).toBe('a sheet');
  await files.remove(content, '.webp');
  await files.remove(content, '.webp');
  expect(await files.read(content, '.webp')).toBeNull();
});

test('a name that is no content leads nowhere', async () => {
  const { files } = openFiles();
  for (const name of ['', '../../etc/passwd', 'A'.repeat(40), `${'a'.repeat(40)}/`, 'a'.repeat(41)])
    await expect(files.read(name, '.mp4')).rejects.toThrow(RangeError);
});

test('a link that a program left in place of its file is not followed', async () => {
  const { files, work, finish } = openFiles();
  symlinkSync(finish('secret', 'other'), join(work, 'out.mp4'));
  await expect(files.adopt(join(work, 'out.mp4'), '.mp4')).rejects.toThrow('ELOOP');
  await expect(files.adopt(work, '.mp4')).rejects.toThrow('Only a file');
});

test('copies a file that lies on another disk', async () => {
  const { files, fileOf, finish, work, folder } = openFiles({
    ...systemFileCalls,
    rename: (from, to) =>
      from.startsWith(work)
        ? Promise.reject(Object.assign(new Error('EXDEV'), { code: 'EXDEV' }))
        : systemFileCalls.rename(from, to),
  });
  const { content } = await files.adopt(finish('a film'), '.mp4');
  expect(readFileSync(fileOf(content, '.mp4'), 'utf8')).toBe('a film');
  expect([readdirSync(work), listStored(folder)]).toEqual([[], [`${content}.mp4`]]);
});

test('goes on after somebody has removed its folder', async () => {
  const { files, finish, folder } = openFiles();
  await files.put(Buffer.from('before'), '.vtt');
  rmSync(folder, { recursive: true });
  const stored = [await files.put(Buffer.from('tracks'), '.vtt'), await files.adopt(finish('a film'), '.mp4')];
  expect(listStored(folder)).toEqual(stored.map(({ content }, at) => `${content}${at === 0 ? '.vtt' : '.mp4'}`).sort());
  rmSync(folder, { recursive: true });
  await files.adopt(finish('a film'), '.mp4');
  expect(listStored(folder)).toHaveLength(1);
});

describe('whatever call of the disk fails', () => {
  test.each(['adopt', 'put'] as const)('%s leaves the whole file or none, and nothing beside it', async (way) => {
    const faults = new CallFaults();
    for (let at = 0; ; at += 1) {
      const { files, finish, folder } = openFiles(faults.filesOf());
      const file = finish('a film');
      faults.plan(at, { code: 'ENOSPC' });
      const stored = await (way === 'adopt'
        ? files.adopt(file, '.mp4')
        : files.put(Buffer.from('a film'), '.mp4')
      ).catch((error: unknown) => error);
      const hasFailed = faults.heal();
      for (const name of listStored(folder)) {
        expect(name).toMatch(/^[0-9a-f]{40}\.mp4$/);
        expect(readFileSync(join(folder, name.slice(0, 2), name), 'utf8')).toBe('a film');
      }
      if (!hasFailed) break;
      expect(stored).toMatchObject({ code: 'ENOSPC' });
    }
  });
});

test('what was stored outlives a power cut', async () => {
  const parent = temporaryFolder();
  const disk = new UnsyncedDisk(parent);
  const { files, fileOf, work } = openFiles(disk.calls, parent);
  const file = join(work, 'out.mp4');
  const handle = await disk.calls.open(file, 'w');
  await disk.calls.write(handle, [Buffer.from('a film')], 0);
  await handle.close();
  const adopted = await files.adopt(file, '.mp4');
  const put = await files.put(Buffer.from('a sheet'), '.webp');
  disk.cutPower();
  expect(readFileSync(fileOf(adopted.content, '.mp4'), 'utf8')).toBe('a film');
  expect(readFileSync(fileOf(put.content, '.webp'), 'utf8')).toBe('a sheet');
});

describe('a sweep', () => {
  const hourAgo = () => Date.now() - 3_600_000;
  const age = (file: string) => utimesSync(file, new Date(0), new Date(0));

  test('removes what is old and unknown, and what a dead process left; it leaves the rest', async () => {
    const { files, fileOf, folder } = openFiles();
    const [known, unknown, young] = await Promise.all(
      ['known', 'unknown', 'young'].map((text) => files.put(Buffer.from(text), '.vtt')),
    );
    const begun = join(folder, 'incoming', 'begun');
    mkdirSync(join(folder, 'incoming'), { recursive: true });
    writeFileSync(begun, 'half');
    for (const stored of [known, unknown]) age(fileOf(stored?.content ?? '', '.vtt'));
    age(begun);
    await files.sweep(hourAgo(), async (contents) => {
      expect(contents).not.toContain('begun');
      return new Set(contents.filter((content) => content === known?.content));
    });
    expect(listStored(folder)).toEqual([`${known?.content}.vtt`, `${young?.content}.vtt`].sort());
  });

  test('leaves what is stored anew while it looks', async () => {
    const { files, fileOf } = openFiles();
    const { content } = await files.put(Buffer.from('again'), '.vtt');
    age(fileOf(content, '.vtt'));
    await files.sweep(hourAgo(), async () => {
      await files.put(Buffer.from('again'), '.vtt');
      return new Set();
    });
    expect(statSync(fileOf(content, '.vtt')).isFile()).toBe(true);
  });

  test('finds nothing to do where there is no folder yet', async () => {
    await openFiles().files.sweep(hourAgo(), async () => new Set());
  });
});
