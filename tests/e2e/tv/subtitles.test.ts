import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';

test('with a remote a language is chosen in the menu of a quadrant, its text stands over the video, and comes by itself with the next one', async ({
  spoken: { address },
  feed,
  page,
}) => {
  const here = feed.quadrant('top-left');
  const press = (key: string) => page.keyboard.press(key);
  await feed.open(`${address}/?form=tv`);
  await feed.waitForStills();
  await press('Enter');
  await feed.waitUntilAllAdvance();
  await feed.walkToControl('top-left', 'More');
  await press('Enter');
  const menu = page.getByRole('dialog', { name: 'Top left', exact: true });
  // Its code may still be on its way.
  await expect(menu).toBeVisible();
  await feed.walkTo(menu.getByRole('button', { name: 'Subtitles' }), 'ArrowDown');
  await press('Enter');
  const list = page.getByRole('dialog', { name: 'Subtitles, top left' });
  await expect(list.getByRole('radio', { name: 'Off' })).toBeChecked();
  await expect(list.getByRole('radio')).toHaveText(['Off', 'English', 'German']);
  await expectAccessible(page);
  await press('Escape');
  await expect(menu.getByRole('button', { name: 'Subtitles' })).toBeFocused();
  await press('Enter');
  await feed.walkTo(list.getByRole('radio', { name: 'German' }), 'ArrowDown');
  await press('Enter');

  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(here).toContainText('Es regnet schon wieder.');
  expect(await feed.marksOutsideSafeArea()).toEqual([]);
  await expectAccessible(page);

  const { videoId } = (await feed.look())['top-left'];
  await feed.skipByKey('top-left');
  await feed.waitForOtherVideo('top-left', videoId);
  await expect(here).toContainText('Es regnet schon wieder.');
});
