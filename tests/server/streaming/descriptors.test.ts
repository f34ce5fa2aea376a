import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
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

/** @returns what takes all descriptors that are left, and what gives them back */
function limitDescriptors(): { take: () => void; giveBack: () => void } {
  const before = softLimit();
  const taken: number[] = [];
  setSoftLimit(String(openDescriptors() + 50));
  const take = () => {
    try {
      for (;;) taken.push(openSync('/dev/null', 'r'));
    } catch {
      // That was the last one.
    }
  };
  const giveBack = () => {
    for (const descriptor of taken.splice(0)) closeSync(descriptor);
    setSoftLimit(before);
  };
  onTestFinished(giveBack);
  return { take, giveBack };
}

test('a server that has no descriptor left says so for what exists, and serves it when it has some again', async () => {
  const [library, app] = [temporaryFolder(), temporaryFolder()];
  putVideos(library, 'a.mp4');
  putFile(app, 'index.html', '<!doctype html>');
  putFile(app, 'start.js', 'start();');
  const { get, logged, services } = await startServer({ library: [library], overrides: { folders: { app } } });
  const paths = ['/api/video/stream?path=a.mp4', '/start.js'];

  const { take, giveBack } = limitDescriptors();
  for (const path of paths) {
    // What began with the server may still close a file in between.
    const refused = await vi.waitFor(async () => {
      await services.files.closeIdle();
      take();
      const reply = await get(path);
      if (reply.statusCode === 200) throw new Error('A descriptor was left');
      return reply;
    });
    expect([path, refused.statusCode, refused.headers['retry-after'], refused.headers['cache-control']]).toEqual([
      path,
      503,
      '5',
      'no-store',
    ]);
    expect(refused.json()).toEqual({ error: 'unavailable', message: expect.any(String) });
  }
  expect((await get('/api/video/stream?path=b.mp4')).statusCode).toBe(404);
  expect(logged().match(/no descriptor is left/g)?.length).toBeGreaterThanOrEqual(paths.length);

  giveBack();
  for (const path of paths) expect([path, (await get(path)).statusCode]).toEqual([path, 200]);
});
