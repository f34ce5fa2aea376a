import { expect } from '@playwright/test';
import { test } from './journey.ts';

test('a newcomer sees four different stills, taps once, and watches four different videos', async ({ feed, page, openProduct }) => {
  const { address } = await openProduct('demo');
  await feed.open(address);
  await expect(page).toHaveTitle('Fourfold');
  const stills = Object.values(await feed.waitForStills());
  expect(new Set(stills.map(({ videoId }) => videoId)).size).toBe(4);
  expect(new Set(stills.map(({ colour }) => String(colour))).size).toBe(4);
  expect(stills.every(({ time }) => time === 0)).toBe(true);

  await feed.start.click();

  await feed.waitUntilAllAdvance();
  await expect(feed.start).toBeHidden();
  await expect(page.getByRole('button', { name: 'Reload' })).toBeHidden();
});
