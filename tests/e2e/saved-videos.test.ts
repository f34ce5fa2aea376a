import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { fixtureNames } from '#tests/support/library.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';

const six = ['hue-000', 'hue-060', 'hue-120', 'hue-180', 'hue-240', 'hue-300'];
const { length: four } = quadrants;

test('who keeps four videos sees them play after a cold start without the server, skips among them, and goes on with the server', async ({
  page,
  feed,
  openProduct,
}) => {
  const product = await openProduct({ names: six });
  await feed.play(product.address);
  for (const quadrant of quadrants) await feed.keepOffline(quadrant);
  await page.goto(`${product.address}/?view=profile`);
  const kept = page.getByRole('region', { name: 'Kept on this device' });
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(four);
  await expectAccessible(page);
  await feed.waitForWorker();
  await product.stop();

  await feed.open(product.address);
  await feed.waitForStills();
  await expect(feed.savedPill).toBeVisible();
  await feed.start.click();
  await feed.waitUntilAllAdvance();
  const before = await feed.look();
  expect(new Set(Object.values(before).map(({ videoId }) => videoId)).size).toBe(four);

  await feed.skipByKey('top-left');
  await feed.waitUntilAllAdvance();
  const place = await page.evaluate(() => {
    const video = document.querySelector<HTMLVideoElement>('[data-quadrant="top-right"] video[data-layer="front"]');
    if (video) video.currentTime = 10;
    return video?.src.slice(0, 5);
  });
  expect(place).toBe('blob:');
  await poll(async () => (await feed.look())['top-right'].time).toBeGreaterThan(10);

  await product.start();
  await expect(page.getByText('You are offline')).toBeHidden();
  const { videoId } = (await feed.look())['top-left'];
  await feed.skipByKey('top-left');
  await feed.waitForOtherVideo('top-left', videoId);

  await page.goto(`${product.address}/?view=profile`);
  await kept
    .getByRole('button', { name: /^Remove: / })
    .first()
    .click();
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(four - 1);
  await kept.getByRole('button', { name: 'Remove all' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove all' }).click();
  await expect(kept).toContainText('Nothing is kept yet.');
});

test('with the server gone in the middle of play, saved videos follow what was on screen, and nothing counts as broken', async ({
  page,
  feed,
  openProduct,
}) => {
  const product = await openProduct({ names: six });
  await feed.play(product.address);
  for (const quadrant of quadrants) await feed.keepOffline(quadrant);
  await feed.openMenu('top-left');
  await expect(page.getByRole('button', { name: 'Kept offline' })).toBeVisible();
  await page.keyboard.press('Escape');
  await product.stop();

  for (const quadrant of quadrants) await feed.skipByKey(quadrant);
  await feed.waitUntilAllAdvance();
  for (const quadrant of quadrants) await expect(feed.quadrant(quadrant)).not.toContainText('Video error');
  await expect(feed.savedPill).toBeAttached();
});

test('what was watched to its end plays without the server, and was not sent once more', async ({
  page,
  feed,
  openProduct,
}) => {
  const product = await openProduct({ names: await fixtureNames('brief') });
  await feed.play(product.address);
  await page.goto(`${product.address}/?view=profile`);
  const kept = page.getByRole('region', { name: 'Kept on this device' });
  await expect(kept.getByText('Nothing is kept yet.')).toBeVisible();
  await feed.play(product.address);
  const told = await feed.recordVideos('top-left');
  await poll(async () => (await told()).length).toBeGreaterThan(four);
  await page.goto(`${product.address}/?view=profile`);
  await expect(kept.getByText(/^Watched · /).first()).toBeVisible();
  await feed.waitForWorker();
  await product.stop();

  await feed.open(product.address);
  await expect(feed.savedPill).toBeVisible();
  await feed.waitForStills();
});

/** Runs in the page: rows of saved videos, and folders of their bytes. */
async function countLeft(): Promise<number> {
  const rows = await new Promise<number>((resolve) => {
    const opening = indexedDB.open('fourfold');
    opening.onsuccess = () => {
      const counting = opening.result.transaction('saved-videos').objectStore('saved-videos').count();
      counting.onsuccess = () => {
        opening.result.close();
        resolve(counting.result);
      };
    };
  });
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('saved', { create: true });
  let folders = 0;
  for await (const _ of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) folders += 1;
  return rows + folders;
}

test('a sign-out in one tab takes what the person keeps out of all tabs and off the device', async ({
  page,
  context,
  inbox,
}) => {
  await new SignIn(page).enterAs(inbox, 'first');
  await page.goto(`${inbox.address}/?view=channels`);
  await page.getByRole('button', { name: 'Newest' }).click();
  await page.getByRole('region', { name: 'Videos' }).getByRole('listitem').first().getByRole('button').first().click();
  // A player closes at the end of its video.
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('button', { name: 'Keep offline' }).click();
  await page.getByRole('dialog', { name: 'Keep offline' }).getByRole('button', { name: 'Keep offline' }).click();
  await expect(page.getByRole('button', { name: 'Kept offline' })).toBeVisible();
  const other = await context.newPage();
  await other.goto(`${inbox.address}/?view=profile`);
  const kept = other.getByRole('region', { name: 'Kept on this device' });
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(1);
  // A page that opens tries with a piece of its own whether this browser stores any, and takes it away again.
  await poll(() => other.evaluate(countLeft)).toBe(2);

  await page.goto(`${inbox.address}/?view=profile`);
  await expect(page.getByText(/^Kept offline · /)).toHaveCount(1);
  await page.getByRole('button', { name: 'Sign Out', exact: true }).first().click();
  const question = page.getByRole('alertdialog', { name: 'Sign Out' });
  await expect(question).toContainText(/^Sign Out1 saved video \(.*\) is removed from this device\./);
  await question.getByRole('button', { name: 'Sign Out' }).click();

  await expect(kept).toContainText('Nothing is kept yet.');
  await poll(() => other.evaluate(countLeft)).toBe(0);
});
