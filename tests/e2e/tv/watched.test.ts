import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';
import { toldBy, videosOfRound } from '../round.ts';

test('by remote a round of eight videos shows each once, and the last one is found under Watched', async ({
  page,
  feed,
  scarce,
}) => {
  const told = toldBy(page);
  await feed.open(`${scarce.address}/?form=tv`);
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  await page.keyboard.press('i');
  const statistics = page.getByRole('complementary', { name: 'Statistics' });
  const shown = await videosOfRound(feed, told, (quadrant) => feed.skipByKey(quadrant));
  expect(new Set(shown).size).toBe(8);
  await expect(statistics).toContainText('0 of 8 not shown yet');
  await feed.skipByKey('bottom-right');
  await expect(statistics).toContainText('All 8 were shown. They come again.');
  const again = (await feed.quadrant('bottom-right').getAttribute('data-video-id')) ?? '';
  await poll(() => told.at(-1), { message: 'the first one of the next round is told' }).toBe(again);

  await page.goto(`${scarce.address}/?form=tv&view=channels`);
  const tab = page.getByRole('button', { name: 'Watched', exact: true });
  await feed.walkTo(tab.or(page.getByRole('button', { name: 'Channels', exact: true })), 'ArrowUp');
  await feed.walkTo(tab, 'ArrowRight');
  await page.keyboard.press('Enter');
  const rows = page.getByRole('region', { name: 'Watched' }).getByRole('button');
  await expect(rows.first()).toBeVisible();
  await feed.walkTo(rows.first(), 'ArrowDown');
  await expectAccessible(page);
  const name = (await rows.first().locator('bdi').textContent()) ?? '';
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name });
  await expect(dialog.getByRole('button', { name: 'Pause' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press('ContextMenu');
  await expect(dialog.getByRole('button', { name: 'Play top left' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(feed.start).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(feed.quadrant('top-right')).toHaveAttribute('data-phase', 'playing');
  await expect(feed.quadrant('top-right')).toHaveAttribute('data-video-id', again);
});
