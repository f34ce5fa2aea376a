import { expect } from '@playwright/test';
import { everyView, expectView } from '../every-view.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';

const sizes = [
  { width: 1920, height: 1080 },
  { width: 960, height: 540 },
];

test('by arrows and OK alone, on a TV of either size, an administrator opens every view; Back from each leads to the same quadrant', async ({
  page,
  feed,
  club,
}) => {
  await new SignIn(page).enterAs(club, 'first');
  await feed.open(`${club.address}/?form=tv`);
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(feed.quadrant('bottom-left')).toBeFocused();
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const { path, title } of everyView) {
      await page.keyboard.press('ArrowLeft');
      for (const name of path) {
        const way = page.getByRole('button', { name, exact: true });
        await way.waitFor();
        // Profile starts below its first row.
        await feed.walkTo(way, name === 'Administration' ? 'ArrowUp' : 'ArrowDown');
        await page.keyboard.press('Enter');
      }
      await expectView(page, title);
      await page.keyboard.press('Escape');
      await expect(feed.quadrant('bottom-left')).toBeFocused();
    }
    await feed.waitUntilAllAdvance();
  }
});
