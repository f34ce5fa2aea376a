import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openInside } from '#server/storage/open-for-reading.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

async function makeFolders() {
  const folder = await temporaryFolder();
  const [inside, outside] = [join(folder, 'library', 'real'), join(folder, 'outside')];
  await mkdir(inside, { recursive: true });
  await mkdir(outside);
  await writeFile(join(inside, 'video.mp4'), 'inside');
  await writeFile(join(outside, 'video.mp4'), 'secret');
  return { library: join(folder, 'library'), inside, outside, link: join(folder, 'library', 'link') };
}

async function readThrough(library: string, file: string): Promise<string | null> {
  const handle = await openInside(library, Buffer.from(file));
  if (handle === null) return null;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(6), 0, 6, 0).finally(() => handle.close());
  return buffer.toString('utf8', 0, bytesRead);
}

test('a link within the folder is followed, one that leads out is not', async () => {
  const { library, inside, outside, link } = await makeFolders();
  await symlink(inside, link);
  await symlink(outside, `${link}-out`);
  expect(await readThrough(library, join(link, 'video.mp4'))).toBe('inside');
  expect(await readThrough(library, join(`${link}-out`, 'video.mp4'))).toBeNull();
});

test('a link that changes while files are opened gives no byte from outside and leaves no descriptor open', async () => {
  const { library, inside, outside, link } = await makeFolders();
  await symlink(inside, link);
  const flipping = fork('tests/support/processes/flipping-process.ts', [link, inside, outside]);
  onTestFinished(() => void flipping.kill('SIGKILL'));
  await once(flipping, 'message');
  const seen = new Set<string | null>();
  for (let tries = 0; tries < 500; tries += 1) seen.add(await readThrough(library, join(link, 'video.mp4')));
  expect(seen).not.toContain('secret');
  expect(seen).toContain('inside');
  expect((await openPaths()).filter((path) => path.endsWith('/video.mp4'))).toEqual([]);
});

async function openPaths(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  return Promise.all(descriptors.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => '')));
}
