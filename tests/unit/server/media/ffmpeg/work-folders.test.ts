import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

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
