import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from './accessible.ts';
import { expectInWindow } from './in-window.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

test('someone moves a video to another quadrant by the menu of a right click, pauses all four, and lets them go on', async ({
  feed,
  page,
}) => {
  await feed.play();
  await feed.loopVideos();
  const before = await feed.look();
  await feed.quadrant('top-left').click({ button: 'right', position: { x: 200, y: 120 } });
  const menu = page.getByRole('dialog', { name: 'Top left' });
  await expect(menu.locator(':focus')).toHaveCount(1);
  await expectInWindow(menu);
  await expectAccessible(page);

  await menu.getByRole('button', { name: 'Move to bottom right' }).click();

  await expect(feed.quadrant('bottom-right')).toHaveAttribute('data-video-id', before['top-left'].videoId);
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-video-id', before['bottom-right'].videoId);
  await expect(menu).toHaveCount(0);
  await feed.waitUntilAllAdvance();

  const arePaused = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLVideoElement>('video[data-layer="front"]')].map(({ paused }) => paused),
    );
  await feed.quadrant('top-left').hover({ position: { x: 200, y: 120 } });
  await feed.clickControl('top-left', 'More');
  await menu.getByRole('button', { name: 'Pause all' }).click();
  await poll(arePaused).toEqual(quadrants.map(() => true));
  await feed.clickControl('top-left', 'More');
  await menu.getByRole('button', { name: 'Play all' }).click();
  await feed.waitUntilAllAdvance();

  const front = feed.quadrant('top-left').locator('video[data-layer="front"]');
  const speed = () => front.evaluate((video: HTMLVideoElement) => video.playbackRate);
  await feed.clickControl('top-left', 'More');
  await menu.getByRole('button', { name: 'Speed: Normal' }).click();
  await menu.getByRole('radio', { name: '0.5×' }).click();
  await poll(speed).toBe(0.5);
  const slow = await feed.quadrant('top-left').getAttribute('data-video-id');
  await feed.clickControl('top-left', 'Skip');
  await expect(feed.quadrant('top-left')).not.toHaveAttribute('data-video-id', slow ?? '');
  await poll(speed).toBe(0.5);
  await feed.waitUntilAllAdvance();
});

test('a question mark brings help with the keys, and Escape takes it away', async ({ feed, page }) => {
  await feed.play();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Shortcuts' });
  await expect(help.getByRole('row', { name: /Bottom left/ })).toContainText('E3DC');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await feed.waitUntilAllAdvance();
});
