import { expect } from '@playwright/test';
import { test } from '../journey.ts';

test('by touch someone drags a video from the dock onto another quadrant, and the dock goes along; a tap on the handle opens the menu', async ({
  feed,
  page,
}) => {
  await feed.play();
  await feed.loopVideos();
  const before = await feed.look();
  const devtools = await page.context().newCDPSession(page);
  const touch = (
    type: 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel',
    ...points: { x: number; y: number }[]
  ) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  const carry = async () => {
    const handle = await feed.control('bottom-left', 'Move to...').boundingBox();
    const start = { x: (handle?.x ?? 0) + 24, y: (handle?.y ?? 0) + 24 };
    await touch('touchStart', start);
    for (const part of [0.25, 0.5, 0.75, 1])
      await touch('touchMove', { x: start.x + (290 - start.x) * part, y: start.y + (120 - start.y) * part });
    await expect(feed.quadrant('top-right')).toHaveAttribute('data-drag', 'target');
  };
  await feed.quadrant('bottom-left').tap({ position: { x: 60, y: 60 } });
  await feed.tapControl('bottom-left', 'Move to...');
  await expect(
    page.getByRole('dialog', { name: 'Bottom left' }).getByRole('button', { name: 'Move to top right' }),
  ).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await carry();
  await touch('touchCancel');
  await expect(page.locator('[data-drag]')).toHaveCount(0);
  await expect(feed.quadrant('bottom-left')).toHaveAttribute('data-video-id', before['bottom-left'].videoId);

  await carry();
  await touch('touchEnd');
  await expect(feed.quadrant('top-right')).toHaveAttribute('data-video-id', before['bottom-left'].videoId);
  await expect(feed.quadrant('bottom-left')).toHaveAttribute('data-video-id', before['top-right'].videoId);
  await expect(feed.quadrant('top-right')).toHaveAttribute('data-active', 'true');
});
