import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const openDescriptors = () => readdirSync('/proc/self/fd').length;

/** How many this process may open, as prlimit(1) writes it. */
function softLimit(): string {
  const [, soft = 'unlimited'] = /Max open files\s+(\S+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft;
}

const setSoftLimit = (limit: string) => execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${limit}:`]);

/** Takes all descriptors that are left. @returns what gives them back */
function takeDescriptors(): () => void {
  const before = softLimit();
  const taken: number[] = [];
  setSoftLimit(String(openDescriptors() + 50));
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    // That was the last one.
  }
  const giveBack = () => {
    for (const descriptor of taken.splice(0)) closeSync(descriptor);
    setSoftLimit(before);
  };
  onTestFinished(giveBack);
  return giveBack;
}

test('a server that has no descriptor left says so for what exists, and serves it when it has some again', async () => {
  const [library, app] = [temporaryFolder(), temporaryFolder()];
  putVideos(library, 'a.mp4');
  putFile(app, 'index.html', '<!doctype html>');
  putFile(app, 'start.js', 'start();');
  const { get, logged } = await startServer({ library: [library], overrides: { folders: { app } } });
  const paths = ['/api/video/stream?path=a.mp4', '/start.js'];

  const giveBack = takeDescriptors();
  for (const path of paths) {
    const refused = await get(path);
    expect([path, refused.statusCode, refused.headers['retry-after'], refused.headers['cache-control']]).toEqual([
      path,
      503,
      '5',
      'no-store',
    ]);
    expect(refused.json()).toEqual({ error: 'unavailable', message: expect.any(String) });
  }
  expect((await get('/api/video/stream?path=b.mp4')).statusCode).toBe(404);
  expect(logged().match(/no descriptor is left/g)).toHaveLength(paths.length);

  giveBack();
  for (const path of paths) expect([path, (await get(path)).statusCode]).toEqual([path, 200]);
});
