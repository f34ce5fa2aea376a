import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';

test('by arrow keys alone a video is found, played, and closed by Back, which leads to its card again', async ({
  page,
  feed,
}) => {
  await page.goto('/?form=tv&view=channels');
  const newest = page.getByRole('button', { name: 'Show the newest' });
  await expect(newest).toBeVisible();
  await feed.walkTo(newest, 'ArrowDown');
  await page.keyboard.press('Enter');
  const cards = page.getByRole('button', { name: /hue /i });
  await expect(cards).toHaveCount(12);
  // The cards may come before or after the focus has left the button, so it rests anywhere above them.
  const channels = page.getByRole('button', { name: 'Channels', exact: true });
  const watched = page.getByRole('button', { name: 'Watched', exact: true });
  await feed.walkTo(channels.or(watched), 'ArrowUp');
  await feed.walkTo(watched, 'ArrowRight');
  await feed.walkTo(channels, 'ArrowLeft');
  await feed.walkTo(page.getByRole('button', { name: 'Search channels...' }), 'ArrowDown');
  await feed.walkTo(page.getByRole('button', { name: /hue (330|300|270|240)/i }), 'ArrowDown');
  await page.keyboard.press('ArrowDown');
  const card = page.getByRole('button', { name: /hue (210|180|150|120)/i }).and(page.locator(':focus'));
  await expect(card).toHaveCount(1);
  const name = await card.locator('bdi').textContent();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: name ?? '' });
  await expect(dialog.getByRole('button', { name: 'Pause' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('button', { name: 'Play', exact: true })).toBeFocused();
  for (const name of ['Mute', 'Play in...', 'Share', 'Report', 'Keep offline', 'Full screen'])
    await feed.walkTo(dialog.getByRole('button', { name }), 'ArrowRight');
  await feed.walkTo(dialog.getByRole('slider', { name: 'Volume' }), 'ArrowLeft');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowLeft');
  await expect(dialog.getByRole('slider', { name: 'Volume' })).toHaveValue('0.9');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(card.locator('bdi')).toHaveText(name ?? '');
});
