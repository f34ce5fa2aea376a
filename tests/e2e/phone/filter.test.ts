import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { videosOf } from '../channels.ts';
import type { Feed } from '../feed.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';

test('by touch a quadrant shows videos of any or of all channels; where none matches it says so, and is mended', async ({
  page,
  feed,
  demo,
}) => {
  const sheet = page.getByRole('dialog', { name: 'Filter Content' });
  await feed.open(demo.address);
  await feed.waitForStills();
  await feed.start.tap();
  await feed.waitUntilAllAdvance();

  await openFilter(feed);
  await expect(sheet.getByRole('checkbox')).toHaveCount(6);
  await expectAccessible(page);
  const upright = page.viewportSize() ?? { width: 0, height: 0 };
  await page.setViewportSize({ width: upright.height, height: upright.width });
  await expect(sheet.getByRole('button', { name: 'Cancel' })).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  await page.setViewportSize(upright);
  // What a short drag goes back in.
  await expect(sheet).toHaveCSS('transition-duration', '0.24s');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect(sheet).toHaveCSS('transition-duration', '0.001s');
  await page.emulateMedia({ reducedMotion: null });
  await dragDown(page, sheet.getByRole('heading'));
  await expect(sheet).toBeHidden();

  await openFilter(feed);
  for (const name of ['Forest', 'Night']) await sheet.getByRole('checkbox', { name }).tap();
  await sheet.getByRole('button', { name: 'Apply (2)' }).tap();
  await expect(sheet).toBeHidden();
  await expect(feed.control('top-left', 'Filter (2 active)')).toBeAttached();
  await expectPool(feed, await videosOf(demo, ['Forest', 'Night']));

  await openFilter(feed);
  await sheet.getByRole('button', { name: 'All channels' }).tap();
  await sheet.getByRole('button', { name: 'Apply (2)' }).tap();
  const [both, ...others] = await videosOf(demo, ['Forest', 'Night'], 'AND');
  expect(others).toEqual([]);
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-video-id', both ?? '');

  await openFilter(feed);
  await sheet.getByRole('checkbox', { name: 'Ocean' }).tap();
  await sheet.getByRole('button', { name: 'Apply (3)' }).tap();
  await expect(feed.quadrant('top-left').getByRole('heading', { name: 'No videos yet' })).toBeVisible();
  await expectAccessible(page);
  await feed.quadrant('top-left').getByRole('button', { name: 'Clear filter' }).tap();
  await expect(feed.control('top-left', 'Filter')).toBeAttached();
  await feed.waitUntilAllAdvance();
});

/** A tap on the video wakes the controls. Chromium takes one that follows a fling for the end of the fling. */
async function openFilter(feed: Feed): Promise<void> {
  const button = feed.quadrant('top-left').getByRole('button', { name: /^Filter/ });
  await expect(async () => {
    if (!(await button.isVisible())) await feed.quadrant('top-left').tap({ position: { x: 60, y: 60 } });
    await button.tap({ timeout: 3_000 });
    await expect(feed.page.getByRole('dialog')).toBeVisible({ timeout: 3_000 });
  }).toPass();
}

/** What comes by some skips is of these videos alone. */
async function expectPool(feed: Feed, ids: readonly string[]): Promise<void> {
  const shown = async () => (await feed.quadrant('top-left').getAttribute('data-video-id')) ?? '';
  await poll(async () => ids.includes(await shown()), { message: 'a video that matches' }).toBe(true);
  for (let skips = 0; skips < 3; skips += 1) {
    const id = await shown();
    await feed.skipByKey('top-left');
    await feed.waitForOtherVideo('top-left', id);
    expect(ids).toContain(await shown());
  }
}

async function dragDown(page: Page, head: Locator): Promise<void> {
  const { x, y } = (await head.boundingBox()) ?? { x: 0, y: 0 };
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await touch('touchStart', { x: x + 20, y });
  for (const distance of [60, 160, 320]) await touch('touchMove', { x: x + 20, y: y + distance });
  await touch('touchEnd');
}
