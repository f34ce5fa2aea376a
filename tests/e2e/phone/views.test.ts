import { expect } from '@playwright/test';
import type { Way } from '../every-view.ts';
import { expectView } from '../every-view.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';

/** Five tabs have no place for Performance and Administration: they are rows of Profile. */
const everyView: readonly Way[] = [
  { path: ['Videos'], title: 'Videos' },
  { path: ['Upload'], title: 'Upload Videos' },
  { path: ['Tagging'], title: 'Tag Management' },
  { path: ['Profile'], title: 'Profile' },
  { path: ['Profile', 'Performance'], title: 'Performance Dashboard' },
  { path: ['Profile', 'Administration'], title: 'Administration' },
];

test('by touch an administrator opens every view from the bar, and comes back to the feed from each', async ({
  page,
  feed,
  club,
}) => {
  await new SignIn(page).enterAs(club, 'first');
  await feed.open(club.address);
  await feed.waitForStills();
  await feed.start.tap();
  await feed.waitUntilAllAdvance();
  const bar = page.getByRole('navigation', { name: 'Menu' });
  for (const { path, title } of everyView) {
    await feed.quadrant('top-right').tap({ position: { x: 90, y: 120 } });
    for (const name of path) await page.getByRole('button', { name, exact: true }).tap();
    await expectView(page, title);
    await bar.getByRole('button', { name: 'Feed' }).tap();
    await expectView(page, 'Feed');
    await expect(bar).toBeHidden();
  }
  await feed.waitUntilAllAdvance();
});
