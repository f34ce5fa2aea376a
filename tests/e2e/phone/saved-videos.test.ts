import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';

test('by touch someone keeps a video from its player, and without a network it plays in all four quadrants', async ({
  context,
  feed,
  page,
}) => {
  await page.goto('/?view=channels');
  await page.getByRole('button', { name: 'Newest' }).tap();
  await page.getByRole('region', { name: 'Videos' }).getByRole('listitem').first().getByRole('button').tap();
  const player = page.getByRole('dialog').first();
  // A player closes at the end of its video.
  await player.getByRole('button', { name: 'Pause', exact: true }).tap();
  await player.getByRole('button', { name: 'Keep offline' }).tap();
  const dialog = page.getByRole('dialog', { name: 'Keep offline' });
  await expect(dialog.getByRole('status')).toContainText(/^1 video, /);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Keep offline' }).tap();
  await expect(player.getByRole('button', { name: 'Kept offline' })).toBeVisible();
  await feed.waitForWorker();
  await context.setOffline(true);

  await feed.open();
  await feed.waitForStills();
  await expect(page.getByText('You are offline. Playing 1 saved video')).toBeVisible();
  expect(new Set(Object.values(await feed.look()).map(({ videoId }) => videoId)).size).toBe(1);
  await feed.start.tap();
  await feed.waitUntilAllAdvance();
});

test('by touch someone keeps a channel, reads in Profile what it takes, and removes it there without a network', async ({
  context,
  demo,
  page,
}) => {
  await page.goto(`${demo.address}/?view=channels`);
  await page.getByRole('list', { name: 'Channels' }).getByRole('button', { name: 'Cities' }).tap();
  await page.getByRole('button', { name: 'Keep offline' }).tap();
  const dialog = page.getByRole('dialog', { name: 'Keep offline' });
  await expect(dialog).toContainText('Cities');
  await expect(dialog.getByRole('status')).toContainText(/^3 videos, .* left$/);
  await dialog.getByLabel('How much').selectOption('Two hours');
  await expect(dialog.getByRole('status')).toContainText(/^3 videos, .* left$/);
  await dialog.getByRole('button', { name: 'Keep offline' }).tap();
  await expect(dialog).toHaveCount(0);

  await page.goto(`${demo.address}/?view=profile`);
  const kept = page.getByRole('region', { name: 'Kept on this device' });
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(3);
  await kept.getByLabel('Space for saved videos').selectOption('1.0 GB');
  await expect(kept.getByText(/ of 1\.0 GB$/)).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 844, height: 390 });
  await expectAccessible(page);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await context.setOffline(true);

  await page.goto(`${demo.address}/?view=profile`);
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(3);
  await kept
    .getByRole('button', { name: /^Remove: / })
    .first()
    .tap();
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(2);
  await kept.getByRole('button', { name: 'Remove all' }).tap();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove all' }).tap();
  await expect(kept).toContainText('Nothing is kept yet.');
});
