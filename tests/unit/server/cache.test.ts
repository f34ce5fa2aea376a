import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { putFile } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

test('a cache of many files is measured a few at a time, and one that goes meanwhile counts nothing', async () => {
  const folder = temporaryFolder();
  for (let which = 0; which < 200; which += 1) putFile(folder, `${which % 7}/${which}.webp`, 'x'.repeat(10));
  const { stat } = fs;
  let [running, most] = [0, 0];
  const counted = vi.spyOn(fs, 'stat').mockImplementation((async (file: string) => {
    running += 1;
    most = Math.max(most, running);
    if (file.endsWith('/7.webp')) await fs.rm(file);
    return stat(file).finally(() => {
      running -= 1;
    });
  }) as unknown as typeof stat);
  syncBuiltinESMExports();
  onTestFinished(() => {
    counted.mockRestore();
    syncBuiltinESMExports();
  });
  const { measureCache } = await import('#server/features/site/cache.ts');
  expect(await measureCache(folder)).toBe(1_990);
  expect(most).toBeLessThanOrEqual(8);
});
