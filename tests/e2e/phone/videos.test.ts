import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';

test('by touch somebody browses two channels by name and plays a video; the page is as wide as the phone, with its bar', async ({
  page,
  demo,
}) => {
  await page.goto(`${demo.address}/?view=channels`);
  for (const name of ['Forest', 'Ocean']) await page.getByRole('button', { name: new RegExp(`^${name}`) }).tap();
  await expect(page.getByText('5 videos')).toBeVisible();
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Name');
  await expect(page.getByRole('region', { name: 'Videos' }).locator('bdi')).toHaveText([
    'Cedar walk morning',
    'First snow cabin',
    'Kelp bay shoal',
    'Moon jelly drift',
    'North pier last light',
  ]);
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(page.viewportSize()?.width);
  await expectAccessible(page);

  await page.getByRole('button', { name: /Cedar walk/ }).tap();
  const time = () => page.locator('[role="dialog"] video').evaluate(({ currentTime }: HTMLVideoElement) => currentTime);
  await poll(time, { message: 'the video advances' }).toBeGreaterThan(0.3);
  await page.goBack();
  await expect(page.getByRole('dialog')).toBeHidden();
});
