import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { signalAll } from '#tests/support/processes/encoders.ts';
import { expectAccessible } from './accessible.ts';
import { acceptAgreement, registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { encodingLimitMs, holdEncoding, makeLongAvi } from './long-avi.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';
import { Uploads } from './uploads.ts';

/** The product with the ffmpeg that this machine has. */
const withFfmpeg = { FFMPEG_PATH: '' };

test('an .avi that is all there is says how far it is, at a desk and on a TV, and then plays in all quadrants', async ({
  page,
  feed,
  openProduct,
  endings,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-long-'));
  endings.push(() => rm(folder, { recursive: true }));
  const { address } = await openProduct({ files: { 'long.avi': makeLongAvi(folder) } }, withFfmpeg);
  await feed.open(address);
  for (const quadrant of quadrants) await expect(feed.quadrant(quadrant)).toContainText('Downloading video...');
  const encoding = await holdEncoding();
  const progress = feed.quadrant('top-left').getByRole('progressbar', { name: 'Downloading video...' });
  await expect(progress).toHaveAttribute('aria-valuenow', /^\d+$/);
  await expectAccessible(page);

  await page.setViewportSize({ width: 1920, height: 1080 });
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

test('an .avi that is uploaded is played like any other video as soon as it is processed', async ({
  page,
  openProduct,
}) => {
  const product = await openProduct({ names: ['hue-000'] }, withFfmpeg);
  await acceptAgreement(product, await registerAt(product, 'first'));
  await new SignIn(page).enterAs(product, 'first');
  const uploads = new Uploads(page);
  await uploads.open(product.address);
  await uploads.addStaged(corpusFile('xvid-mp3.avi'));
  await uploads.start();
  await expect(uploads.row('xvid-mp3.avi')).toContainText('Completed');
  const card = page
    .getByRole('listitem')
    .filter({ hasText: /xvid-mp3/i })
    .getByRole('button')
    .first();
  await expect(async () => {
    await page.goto(`${product.address}/?view=channels`);
    await page.getByRole('button', { name: 'Show the newest' }).click();
    await expect(card).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await card.click();
  const video = page.getByRole('dialog').locator('video');
  await poll(() => video.evaluate(({ currentTime }: HTMLVideoElement) => currentTime), {
    message: 'the video in the dialog advances',
  }).toBeGreaterThan(0.3);
});

test('a library that nothing can make playable says why', async ({ page, feed, unplayable }) => {
  await feed.open(unplayable.address);
  for (const quadrant of quadrants)
    await expect(feed.quadrant(quadrant)).toContainText('Browsers cannot play AVI files.');
  await expectAccessible(page);
});
