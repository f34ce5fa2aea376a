import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';

test('with a remote a video is kept in the menu of a quadrant, is listed in Profile, and is removed there', async ({
  feed,
  page,
}) => {
  const press = (key: string) => page.keyboard.press(key);
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await press('Enter');
  await feed.waitUntilAllAdvance();
  await feed.walkToControl('top-left', 'More');
  await press('Enter');
  const menu = page.getByRole('dialog', { name: 'Top left', exact: true });
  await feed.walkTo(menu.getByRole('button', { name: 'Keep offline' }), 'ArrowDown');
  await press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Keep offline' });
  await expect(dialog.getByRole('status')).toContainText(/^1 video, /);
  await expect(dialog.getByRole('button', { name: 'Keep offline' })).toBeEnabled();
  await expectAccessible(page);
  await feed.walkTo(dialog.getByRole('button', { name: 'Keep offline' }), 'ArrowRight');
  await press('Enter');
  await expect(dialog).toHaveCount(0);

  await page.goto('/?view=profile&form=tv');
  const kept = page.getByRole('region', { name: 'Kept on this device' });
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(1);
  await expectAccessible(page);
  const remove = kept.getByRole('button', { name: /^Remove: / });
  await remove.focus();
  await press('Enter');
  await expect(kept).toContainText('Nothing is kept yet.');
});

test('with a remote a channel is kept, and after a start without the server it plays in all four quadrants', async ({
  feed,
  openProduct,
  page,
}) => {
  const product = await openProduct('demo');
  const press = (key: string) => page.keyboard.press(key);
  await page.goto(`${product.address}/?view=channels&form=tv`);
  const channels = page.getByRole('list', { name: 'Channels' });
  await feed.walkTo(page.getByRole('button', { name: 'Show the newest' }), 'ArrowDown');
  await feed.walkTo(channels.getByRole('button'), 'ArrowUp');
  await feed.walkTo(channels.getByRole('button', { name: 'Sunset' }), 'ArrowRight');
  await press('Enter');
  const keep = page.getByRole('main').getByRole('button', { name: 'Keep offline' });
  await press('ArrowDown');
  await feed.walkTo(keep, 'ArrowLeft');
  await press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Keep offline' });
  await expect(dialog.getByRole('status')).toContainText(/^4 videos, /);
  await feed.walkTo(dialog.getByRole('button', { name: 'Keep offline' }), 'ArrowRight');
  await press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(keep).toBeFocused();
  await page.goto(`${product.address}/?view=profile&form=tv`);
  await expect(page.getByText(/^Kept offline · /)).toHaveCount(4);
  await feed.waitForWorker();
  await product.stop();

  await feed.open(`${product.address}/?form=tv`);
  await feed.waitForStills();
  await expect(page.getByText('You are offline. Playing 4 saved videos')).toBeVisible();
  await press('Enter');
  await feed.waitUntilAllAdvance();
  await feed.skipByKey('top-left');
  await feed.waitUntilAllAdvance();
});
