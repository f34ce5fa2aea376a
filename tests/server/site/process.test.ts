import { linkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { statusSchema } from '#contract/entities/feed.ts';
import { putHugeVideo } from '#tests/support/media/huge-video.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import { environmentWith, runServer, startReading } from '#tests/support/processes/server-process.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

describe('starting', () => {
  test('says where the server is, what it serves and how the first scan went', async () => {
    const library = temporaryFolder();
    putVideos(library, 'a.mp4');
    putFile(library, 'b.mp4', '');
    const server = runServer(await environmentWith(library));
    const said = await server.says(/Looked through/);
    expect(said).toContain(`Library: ${library}`);
    expect(said).toMatch(/Started in \d/);
    expect(said).toContain('2 videos, 1 of them playable');
    expect(said).not.toContain('{');
    expect((await fetch(`${await server.address()}/readyz`)).status).toBe(200);
  });

  test('in production writes JSON lines that hold no query', async () => {
    const server = runServer(await environmentWith(temporaryFolder(), { NODE_ENV: 'production' }));
    await fetch(`${await server.address()}/api/video/top-left?tag_ids=private`);
    const said = await server.says(/"path":"\/api\/video\/top-left"/);
    expect(said).not.toContain('private');
  });
});

describe('stopping', () => {
  test('by SIGTERM or SIGINT while a video is being sent ends within ten seconds', async () => {
    const library = temporaryFolder();
    putHugeVideo(library, 'huge.mp4');
    const stop = async (signal: 'SIGTERM' | 'SIGINT') => {
      const server = runServer(await environmentWith(library));
      await server.says(/Looked through/);
      const answer = await startReading(`${await server.address()}/api/video/stream?path=huge.mp4`);
      answer.on('error', () => {});
      const startedAt = performance.now();
      server.kill(signal);
      return { code: await server.ended(), ms: performance.now() - startedAt };
    };
    for (const { code, ms } of await Promise.all([stop('SIGTERM'), stop('SIGINT')])) {
      expect(code).toBe(0);
      expect(ms).toBeLessThan(10_000);
    }
  });
});

test('a server that is killed during its first scan completes it the next time', async () => {
  const library = temporaryFolder();
  putVideos(library, 'a.mp4');
  for (let index = 0; index < 1_500; index += 1) linkSync(join(library, 'a.mp4'), join(library, `link-${index}.mp4`));
  const env = await environmentWith(library);
  const first = runServer(env);
  const address = await first.address();
  const available = async () => statusSchema.parse(await (await fetch(`${address}/api/status`)).json()).AvailableVideos;
  await vi.waitFor(async () => expect(await available()).toBeGreaterThan(0), { interval: 5 });
  first.kill('SIGKILL');
  await first.ended();
  const second = runServer(env);
  expect(await second.says(/Looked through/)).toContain('1501 videos, 1501 of them playable');
});
