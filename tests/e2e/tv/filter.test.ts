import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';

test('by arrow keys alone a quadrant gets a filter of two channels, and Back closes the panel and nothing else', async ({
  page,
  feed,
  demo,
}) => {
  await feed.open(`${demo.address}/?form=tv`);
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  const filter = feed.quadrant('top-left').getByRole('button', { name: /^Filter/ });
  const panel = page.getByRole('dialog', { name: 'Filter Content' });

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await expect(feed.quadrant('top-left')).toBeFocused();
  await feed.enterControls('top-left');
  for (let steps = 0; steps < 20 && !(await filter.evaluate((button) => button === document.activeElement)); steps += 1)
    await page.keyboard.press(steps < 10 ? 'ArrowLeft' : 'ArrowUp');
  await expect(filter).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(panel).toBeVisible();
  // The ring tells which quadrant the panel is about.
  expect(await feed.ringed()).toEqual(['top-left']);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await expect(filter).toBeFocused();

  await page.keyboard.press('Enter');
  await expect(panel.getByRole('checkbox', { name: /^Forest/ })).toBeVisible();
  for (const name of ['Cities', 'Forest']) {
    await feed.walkTo(panel.getByRole('checkbox', { name: new RegExp(`^${name}`) }), 'ArrowDown');
    await page.keyboard.press('Enter');
  }
  await feed.walkTo(panel.getByRole('button', { name: 'Apply (2)' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  await expect(panel).toBeHidden();
  await expect(filter).toHaveAccessibleName('Filter (2 active)');
});
