import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type * as FileSystem from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const creation = vi.hoisted(() => ({ end: async () => {} }));
/** A folder exists on the disk for a while before its creator learns of it. */
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof FileSystem>();
  const slowly =
    <Args extends unknown[], Made>(create: (...args: Args) => Promise<Made>) =>
    async (...args: Args) => {
      const made = await create(...args);
      await creation.end();
      return made;
    };
  return { ...real, mkdir: slowly(real.mkdir), mkdtemp: slowly(real.mkdtemp) };
});

const host = hostname().replaceAll(/[^\w]/g, '_');

test('a work folder is private, and goes whatever becomes of the work', async () => {
  const folders = createWorkFolders(temporaryFolder(), systemClock);
  const seen: string[] = [];
  const work = folders.use(async (folder) => {
    seen.push(folder);
    expect(statSync(folder).mode & 0o077).toBe(0);
    writeFileSync(join(folder, 'half'), 'x');
    throw new Error('power cut');
  });
  await expect(work).rejects.toThrow('power cut');
  expect(seen.map((folder) => existsSync(folder))).toEqual([false]);
});

test('what a dead process has left is swept away, what others work on is not', async () => {
  const parent = temporaryFolder();
  const dead = spawnSync('/bin/true').pid;
  const old = 'elsewhere-7-old';
  for (const name of [
    `${host}-${dead}-a`,
    `${host}-${process.ppid}-b`,
    `${host}-${process.pid}-c`,
    'elsewhere-7-new',
    old,
  ])
    mkdirSync(join(parent, name));
  utimesSync(join(parent, old), 1, 1);
  const folders = createWorkFolders(parent, systemClock);
  await folders.use(async (folder) => {
    await folders.sweep();
    expect(existsSync(folder)).toBe(true);
  });
  expect(readdirSync(parent).sort()).toEqual(['elsewhere-7-new', `${host}-${process.ppid}-b`].sort());
});

test('a sweep spares a folder that is being created', async () => {
  const folders = createWorkFolders(temporaryFolder(), systemClock);
  creation.end = () => folders.sweep();
  onTestFinished(() => {
    creation.end = async () => {};
  });
  expect(await folders.use(async (folder) => existsSync(folder))).toBe(true);
});
