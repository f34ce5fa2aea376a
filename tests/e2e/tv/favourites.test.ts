import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { registerAt } from '../accounts.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';

test('with a remote somebody marks a video in the menu of a quadrant, and limits it to favourites and a length', async ({
  page,
  feed,
  demo,
}) => {
  const press = (key: string) => page.keyboard.press(key);
  const here = feed.quadrant('top-left');
  await registerAt(demo, 'theo');
  await new SignIn(page).enterAs(demo, 'theo');
  await feed.open(`${demo.address}/?form=tv`);
  await feed.waitForStills();
  await press('Enter');
  await feed.waitUntilAllAdvance();
  await feed.walkToControl('top-left', 'More');
  await press('Enter');
  const menu = page.getByRole('dialog', { name: 'Top left', exact: true });
  await feed.walkTo(menu.getByRole('button', { name: 'Add to Favourites' }), 'ArrowDown');
  await expectAccessible(page);
  await press('Enter');
  await expect(menu).toBeHidden();
  await expect(here).toContainText('Added to Favourites.');

  const filter = here.getByRole('button', { name: /^Filter/ });
  for (let steps = 0; steps < 20 && !(await filter.evaluate((button) => button === document.activeElement)); steps += 1)
    await press(steps < 10 ? 'ArrowLeft' : 'ArrowUp');
  await press('Enter');
  const panel = page.getByRole('dialog', { name: 'Filter Content' });
  await expect(panel.getByRole('checkbox').first()).toBeVisible();
  await feed.walkTo(panel.getByRole('button', { name: 'Clear All' }), 'ArrowUp');
  await press('ArrowDown');
  await feed.walkTo(panel.getByRole('button', { name: 'Short' }), 'ArrowLeft');
  await press('Enter');
  await feed.walkTo(panel.getByRole('button', { name: 'Favourites' }), 'ArrowUp');
  await press('Enter');
  await expectAccessible(page);
  await feed.walkTo(panel.getByRole('button', { name: 'Apply (2)' }), 'ArrowDown');
  await press('Enter');
  await expect(panel).toBeHidden();
  await expect(filter).toHaveAccessibleName('Filter (2 active)');
});
