import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';

test('by touch someone pins, lets sound, turns down, mutes, seeks, expands and skips on and back from the dock, and all four pictures stay in sight', async ({
  feed,
  page,
}) => {
  await feed.open();
  await feed.waitForStills();
  await feed.start.tap();
  await feed.waitUntilAllAdvance();
  await feed.loopVideos();
  await feed.quadrant('bottom-left').tap({ position: { x: 60, y: 60 } });
  await expect(feed.control('bottom-left', 'Pin')).toBeVisible();

  const dockTop = (await feed.control('bottom-left', 'Seek').boundingBox())?.y ?? 0;
  for (const quadrant of quadrants) {
    const box = await feed.quadrant(quadrant).boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(dockTop);
  }
  await feed.tapControl('bottom-left', 'Pin');
  await expect(feed.quadrant('bottom-left')).toHaveAttribute('data-pinned', 'true');
  await feed.tapControl('bottom-left', 'Unmute');
  await poll(() => feed.sound('bottom-left')).toEqual({ muted: false, volume: 1 });
  const volume = await feed.control('bottom-left', 'Volume').boundingBox();
  await page.touchscreen.tap((volume?.x ?? 0) + (volume?.width ?? 0) / 2, (volume?.y ?? 0) + (volume?.height ?? 0) / 2);
  await poll(() => feed.sound('bottom-left')).toEqual({ muted: false, volume: 0.5 });
  await feed.tapControl('bottom-left', 'Mute');
  await poll(() => feed.sound('bottom-left')).toEqual({ muted: true, volume: 0.5 });
  await feed.tapControl('bottom-left', 'Seek back 1 minute');
  await poll(async () => (await feed.look())['bottom-left'].time).toBeLessThan(1);

  await feed.tapControl('bottom-left', 'Expand');
  await poll(async () => (await feed.quadrant('bottom-left').boundingBox())?.width).toBe(page.viewportSize()?.width);
  await page.goBack();
  await expect(feed.quadrant('bottom-left')).toHaveAttribute('data-expanded', 'false');

  const before = await feed.look();
  await feed.tapControl('bottom-left', 'Unpin');
  await feed.tapControl('bottom-left', 'Skip');
  await feed.waitForOtherVideo('bottom-left', before['bottom-left'].videoId);
  await feed.tapControl('bottom-left', 'Skip back');
  await expect(feed.quadrant('bottom-left')).toHaveAttribute('data-video-id', before['bottom-left'].videoId);
  await feed.waitUntilAllAdvance();
});

test('the dock has no accessibility fault', async ({ feed, page }) => {
  await feed.play();
  await feed.quadrant('bottom-right').tap({ position: { x: 60, y: 60 } });
  await expect(feed.control('bottom-right', 'Pin')).toBeVisible();
  await expectAccessible(page);
});

test('every control of the dock is a target of 44 pixels at least', async ({ feed, page }) => {
  await feed.play();
  await feed.quadrant('top-right').tap({ position: { x: 60, y: 60 } });
  await expect(feed.control('top-right', 'Pin')).toBeVisible();
  const controls = await page
    .locator('section[data-active="true"]')
    .locator('button, input')
    .filter({ visible: true })
    .all();
  expect(controls.length).toBeGreaterThanOrEqual(6);
  for (const control of controls) {
    const box = await control.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
});
