import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { isWholeSoak } from '#tests/support/soak.ts';
import { acceptAgreement, registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { countKept } from './kept-in-page.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';
import { Uploads } from './uploads.ts';

/** Four of them are 1 GB in the soak. */
const fileBytes = isWholeSoak ? 250_000_000 : 5_000_000;
/** How long they may take, in milliseconds; otherwise as long as any other look. */
const patience = isWholeSoak ? { timeout: 1_200_000 } : {};
const { length: four } = quadrants;
const upload = fileURLToPath(new URL('../fixtures/videos/brief-000.mp4', import.meta.url));

test('where the browser takes room away, the video that no longer fits says so, older ones can go for it, and all else works', async ({
  context,
  endings,
  feed,
  openProduct,
  page,
}) => {
  if (isWholeSoak) test.slow();
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-room-'));
  endings.push(() => rm(folder, { recursive: true }));
  const files = Object.fromEntries(['one', 'two', 'three', 'four'].map((name) => [`${name}.mp4`, join(folder, name)]));
  for (const file of Object.values(files)) await writeLargeVideo(file, fileBytes);
  const product = await openProduct({ files });
  await acceptAgreement(product, await registerAt(product, 'ada'));
  await new SignIn(page).enterAs(product, 'ada');
  const { origin } = new URL(product.address);
  const devTools = await context.newCDPSession(page);
  const setQuota = async (quotaSize: number) =>
    void (await devTools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize }));
  await setQuota(2 * four * fileBytes);
  await feed.play(product.address);
  for (const quadrant of quadrants.slice(1)) await feed.keepOffline(quadrant);
  await poll(() => page.evaluate(countKept, 'chosen'), { message: 'whole videos', ...patience }).toBe(four - 1);

  const { usage } = await devTools.send('Storage.getUsageAndQuota', { origin });
  await setQuota(usage + fileBytes / 2);
  await feed.keepOffline('top-left');
  await page.goto(`${product.address}/?view=profile`);
  const kept = page.getByRole('region', { name: 'Kept on this device' });
  const full = kept.getByRole('listitem').filter({ hasText: /This device has no room for it \(.*\)\./ });
  await expect(full).toHaveCount(1);
  await expect(kept.getByRole('listitem').last(), 'the oldest comes first').toContainText('no room');
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(four - 1);

  await context.setOffline(true);
  await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).uncheck();
  await expect(page.getByText('1 change waits for the network.')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('1 change waits for the network.')).toBeHidden();
  const uploads = new Uploads(page);
  await uploads.open(product.address);
  await page.getByLabel('Videos', { exact: true }).setInputFiles(upload);
  await page.getByRole('button', { name: /^Upload 1 file/ }).click();
  await expect(page.getByText('1 video is uploaded.')).toBeAttached();

  await page.goto(`${product.address}/?view=profile`);
  await kept
    .getByRole('button', { name: /^Remove: / })
    .first()
    .click();
  await full.getByRole('button', { name: /^Resume: / }).click();
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(four - 1, patience);
  await expect(kept.getByText('no room')).toHaveCount(0);
});
