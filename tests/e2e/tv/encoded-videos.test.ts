import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { signalAll } from '#tests/support/processes/encoders.ts';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';
import { encodingLimitMs, holdEncoding, makeLongAvi } from '../long-avi.ts';

test('by remote an .avi that is all there is plays in all quadrants, once it has said how far it is', async ({
  page,
  feed,
  openProduct,
  endings,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-long-'));
  endings.push(() => rm(folder, { recursive: true }));
  const { address } = await openProduct({ files: { 'long.avi': makeLongAvi(folder) } }, { FFMPEG_PATH: '' });
  const encoding = await holdEncoding();
  await feed.open(`${address}/?form=tv`);
  for (const quadrant of quadrants)
    await expect(feed.quadrant(quadrant).getByRole('progressbar', { name: 'Downloading video...' })).toBeVisible();
  expect(await feed.marksOutsideSafeArea()).toEqual([]);
  await expectAccessible(page);
  signalAll(encoding, 'SIGCONT');
  await feed.waitForStills(encodingLimitMs);
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
});
