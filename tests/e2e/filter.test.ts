import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { videosOf } from './channels.ts';
import type { Feed } from './feed.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

/** From each page load on: every video of the quadrant of which a frame could be seen, looked at once a frame. */
async function recordSeen(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const seen = new Set<string>();
    Object.assign(window, { seen });
    const look = () => {
      const section = document.querySelector<HTMLElement>('section[data-quadrant="top-left"]');
      const front = section?.querySelector<HTMLVideoElement>('video[data-layer="front"]');
      if (section?.dataset.videoId && front && front.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA)
        seen.add(section.dataset.videoId);
      requestAnimationFrame(look);
    };
    look();
  });
  return () => page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
}

async function expectOnly(feed: Feed, ids: readonly string[]): Promise<void> {
  await poll(async () => ids.includes((await feed.look())['top-left'].videoId), {
    message: 'a video of the channel',
  }).toBe(true);
}

test('by mouse a quadrant is kept to a channel, also over a reload, in which nothing else is ever seen', async ({
  page,
  feed,
  openProduct,
}) => {
  const product = await openProduct('demo');
  const atNight = await videosOf(product, ['Night']);
  expect(atNight).toHaveLength(7);
  await feed.play(product.address);

  await page.mouse.move(360, 225);
  await feed.control('top-left', 'Filter').click();
  const dialog = page.getByRole('dialog', { name: 'Filter Content' });
  await dialog.getByRole('checkbox', { name: 'Night' }).check();
  await dialog.getByRole('button', { name: 'Apply (1)' }).click();
  await expect(dialog).toBeHidden();
  await expectOnly(feed, atNight);
  await expect(feed.control('top-left', 'Filter (1 active)')).toBeAttached();

  const seen = await recordSeen(page);
  await page.reload();
  await feed.waitForStills();
  await feed.start.click();
  await feed.waitUntilAllAdvance();
  const first = (await feed.look())['top-left'].videoId;
  await feed.skipByKey('top-left');
  await feed.waitForOtherVideo('top-left', first);
  for (const id of await seen()) expect(atNight).toContain(id);
});
