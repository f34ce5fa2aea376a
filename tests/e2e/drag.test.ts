import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';

test('by mouse someone drags a video onto another quadrant while all four play on; Escape puts one back, and a press of the handle opens the menu', async ({
  feed,
  page,
}) => {
  await feed.play();
  await feed.loopVideos();
  const before = await feed.look();
  const carry = async () => {
    await feed.quadrant('top-left').hover({ position: { x: 200, y: 120 } });
    await feed.hoverControl('top-left', 'Move to...');
    await page.mouse.down();
    await page.mouse.move(1080, 675, { steps: 5 });
    await expect(feed.quadrant('bottom-right')).toHaveAttribute('data-drag', 'target');
  };
  await carry();
  await feed.waitUntilAllAdvance();
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-drag]')).toHaveCount(0);
  await page.mouse.up();
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-video-id', before['top-left'].videoId);

  await carry();
  await page.mouse.up();
  await expect(feed.quadrant('bottom-right')).toHaveAttribute('data-video-id', before['top-left'].videoId);
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-video-id', before['bottom-right'].videoId);
  await expect(page.locator('[data-drag]')).toHaveCount(0);

  await feed.focusByTab(/^Move to/);
  await page.keyboard.press('Enter');
  const menu = page.getByRole('dialog', { name: /left|right/ });
  await expect(menu.locator(':focus')).toHaveText(/^Move to/);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
});
