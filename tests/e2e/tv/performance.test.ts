import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { crawl } from '../crawl.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';

test('by arrow keys alone an administrator reads every card of the dashboard, and chooses window and quadrant', async ({
  page,
  feed,
  club,
}) => {
  await new SignIn(page).enterAs(club, 'first');
  await page.goto(`${club.address}/?form=tv&view=performance`);
  const radio = (name: string) => page.getByRole('radio', { name, exact: true });
  await expect(radio('5m')).toBeFocused();
  await expect(page.getByRole('heading', { name: 'Videos with trouble' })).toBeAttached();
  // The menu is drawn at once when it has been open before.
  await page.keyboard.press('ContextMenu');
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
  await page.keyboard.press('ContextMenu');
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeHidden();
  await expect(radio('5m')).toBeFocused();
  for (const size of [
    { width: 1920, height: 1080 },
    { width: 960, height: 540 },
  ]) {
    await page.setViewportSize(size);
    const { controls, unreached } = await crawl(page);
    expect(controls.length).toBeGreaterThan(13);
    expect(unreached).toEqual([]);
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  }

  await radio('5m').focus();
  await page.keyboard.press('ArrowRight');
  await expect(radio('15m')).toBeFocused();
  await expect(radio('5m')).toBeChecked();
  await page.keyboard.press('Enter');
  await expect(radio('15m')).toBeChecked();
  const choice = page.getByRole('button', { name: /^Quadrant/ });
  await feed.walkTo(choice, 'ArrowRight');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(choice).toBeFocused();
  await expect(choice).toHaveText('Top left');
  await expect(page.getByRole('region', { name: 'Bottom right' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: 'System Health' })).toHaveCount(0);
});
