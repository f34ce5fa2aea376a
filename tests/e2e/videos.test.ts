import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { fixtureOf } from './hues.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

test('by mouse somebody browses, plays a video, closes it, opens its shared address, and has it played in a quadrant', async ({
  page,
  feed,
}) => {
  await feed.play();
  await page.mouse.move(5, 400);
  await page.getByRole('button', { name: 'Videos', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No channels available' })).toBeVisible();
  await page.getByRole('button', { name: 'Show the newest' }).click();
  await expect(page.getByText('12 videos')).toBeVisible();
  await expectAccessible(page);
  const card = page.getByRole('button', { name: /hue 240/i });
  await card.click();
  await expectPlaying(page);
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();

  await card.click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Full screen' }).click();
  await poll(() => fillsScreen(page), { message: 'the player fills the screen' }).toBe(true);
  await page.getByRole('button', { name: 'Play in...' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Bottom left' }).click();
  const quadrant = feed.quadrant('bottom-left');
  await expect(quadrant).toHaveAttribute('data-phase', 'playing');
  await poll(() => fillsScreen(page), { message: 'full screen ends with the player' }).toBe(false);
  await poll(async () => fixtureOf((await feed.look())['bottom-left'].colour ?? [0, 0, 0]), {
    message: 'the chosen video is seen',
  }).toBe('hue-240');
  const id = (await quadrant.getAttribute('data-video-id')) ?? '';

  await page.goto(`/?video=${id}`);
  await expect(page.getByRole('dialog', { name: 'Hue 240' })).toBeVisible();
  await page.getByRole('button', { name: 'Details' }).click();
  await expect(page.getByRole('dialog').last()).toContainText('hue-240.mp4');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await expect(page).toHaveURL('/');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Videos', level: 1 })).toBeVisible();
});

/** Whether a dialog covers all of the screen. */
function fillsScreen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const box = document.querySelector('[role="dialog"]')?.getBoundingClientRect();
    return document.fullscreenElement !== null && box?.width === innerWidth && box.height === innerHeight;
  });
}

async function expectPlaying(page: Page): Promise<void> {
  const time = () => page.locator('[role="dialog"] video').evaluate(({ currentTime }: HTMLVideoElement) => currentTime);
  await poll(time, { message: 'the video in the dialog advances' }).toBeGreaterThan(0.3);
}
