import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

/** Seconds into the four videos on top, of those that play; runs in either window. */
const readTimes = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLVideoElement>('video[data-layer="front"]')]
      .filter(({ paused, readyState }) => !paused && readyState >= HTMLMediaElement.HAVE_CURRENT_DATA)
      .map(({ currentTime }) => currentTime),
  );

async function expectAllPlay(page: Page): Promise<void> {
  await poll(async () => (await readTimes(page)).length).toBe(quadrants.length);
  const before = await readTimes(page);
  await poll(async () => (await readTimes(page)).every((time, at) => time !== before[at])).toBe(true);
}

test('the four videos go on in a small window, obey its keys, and come back at their second', async ({
  feed,
  page,
  context,
}) => {
  await feed.play();
  for (const quadrant of quadrants) await feed.control(quadrant, 'Pin').dispatchEvent('click');
  await page.keyboard.press('i');
  const before = await readTimes(page);
  const opened = context.waitForEvent('page');
  await page.getByRole('button', { name: 'Small window' }).click();
  const small = await opened;
  await expectAllPlay(small);
  expect(await readTimes(page)).toEqual([]);
  await expect(page.getByText('Playing in a small window')).toBeVisible();
  for (const [at, time] of (await readTimes(small)).entries()) expect(time).toBeGreaterThanOrEqual(before[at] ?? 0);
  await expectAccessible(small);
  await expectAccessible(page);

  await small.getByRole('button', { name: 'Play or pause: Top left' }).click();
  await poll(async () => (await readTimes(small)).length).toBe(quadrants.length - 1);
  await small.getByRole('button', { name: 'Play or pause: Top left' }).press('Enter');
  await poll(async () => (await readTimes(small)).length).toBe(quadrants.length);

  const last = await readTimes(small);
  // It closes as the key goes down, before the driver hears that the key is up.
  await Promise.allSettled([small.waitForEvent('close'), small.keyboard.press('o')]);
  await expectAllPlay(page);
  for (const [at, time] of (await readTimes(page)).entries()) expect(time).toBeGreaterThanOrEqual(last[at] ?? 0);
  await expect(page.getByText('Playing in a small window')).toHaveCount(0);
});

test('a hidden page goes on in its small window, and another view brings it back', async ({ feed, page, context }) => {
  await feed.play();
  const opened = context.waitForEvent('page');
  await page.keyboard.press('o');
  const small = await opened;
  await expectAllPlay(small);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expectAllPlay(small);
  const closed = small.waitForEvent('close');
  await page.mouse.move(2, 400);
  await page.getByRole('navigation', { name: 'Menu', exact: true }).getByRole('button', { name: 'Videos' }).click();
  await closed;
});
