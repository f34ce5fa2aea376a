import { linkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { statusSchema } from '#contract/entities/feed.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { environmentWith, runServer } from '#tests/support/processes/server-process.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

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
