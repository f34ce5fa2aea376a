import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Quadrant } from '#contract/quadrants.ts';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import { expectAccessible } from './accessible.ts';
import { registerAt } from './accounts.ts';
import { videosOf } from './channels.ts';
import type { Feed } from './feed.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';

const dayMs = 86_400_000;

/**
 * From each page load on: every video of the quadrant of which a frame could be seen, looked at once a frame. What the
 * page's own grid has shown and the quadrant has not is told by its address.
 */
async function recordSeen(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const [seen, shown, inGrid] = [new Set<string>(), new Set<string>(), new Set<string>()];
    Object.assign(window, { seen, shown, inGrid });
    const hasFrame = (video: HTMLVideoElement | null | undefined) =>
      video && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
    const look = () => {
      const section = document.querySelector<HTMLElement>('section[data-quadrant="top-left"]');
      const front = section?.querySelector<HTMLVideoElement>('video[data-layer="front"]');
      if (section?.dataset.videoId && front && hasFrame(front)) {
        seen.add(section.dataset.videoId);
        shown.add(front.currentSrc);
      }
      const first = document.querySelector<HTMLVideoElement>('.start-grid > :first-child video');
      if (first && hasFrame(first)) inGrid.add(first.currentSrc);
      requestAnimationFrame(look);
    };
    look();
  });
  return () =>
    page.evaluate(() => {
      const { seen, shown, inGrid } = window as unknown as Record<'seen' | 'shown' | 'inGrid', Set<string>>;
      return [...seen, ...[...inGrid].filter((source) => !shown.has(source))];
    });
}

async function expectOnly(feed: Feed, ids: readonly string[], quadrant: Quadrant = 'top-left'): Promise<void> {
  await poll(async () => ids.includes((await feed.look())[quadrant].videoId), {
    message: 'a video of the channel',
  }).toBe(true);
}

test('by mouse a quadrant is kept to a channel, also over a reload, in which nothing else is ever seen, and for a day', async ({
  page,
  feed,
  demo,
}) => {
  const atNight = await videosOf(demo, ['Night']);
  expect(atNight).toHaveLength(7);
  await feed.play(demo.address);

  await filterBy(feed, 'top-left', 'Night');
  await expectOnly(feed, atNight);
  await expect(feed.control('top-left', 'Filter (1 active)')).toBeAttached();

  const seen = await recordSeen(page);
  await page.reload();
  await feed.waitForStills();
  await feed.start.click();
  await feed.waitUntilAllAdvance();
  const first = (await feed.look())['top-left'].videoId;
  await feed.skipByKey('top-left');
  await feed.waitForOtherVideo('top-left', first);
  for (const id of await seen()) expect(atNight).toContain(id);

  await page.clock.setSystemTime(Date.now() + dayMs);
  await page.reload();
  await feed.waitForStills();
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-filtered', 'false');
  expect(await savedFilters(page)).toBeNull();
});

test('somebody blocks a channel, which leaves a pinned quadrant unseen, and signs out, which clears the filters', async ({
  page,
  feed,
  demo,
}) => {
  await registerAt(demo, 'ines');
  const inForest = await videosOf(demo, ['Forest']);
  const seen = await recordSeen(page);
  await new SignIn(page).enterAs(demo, 'ines');
  await feed.play(demo.address);
  await filterBy(feed, 'top-left', 'Forest');
  await expectOnly(feed, inForest);
  await feed.clickControl('top-left', 'Pin');

  await openProfile(page);
  await page.getByRole('checkbox', { name: 'Forest' }).check();
  await expect(page.getByText('Blocklist updated successfully!')).toBeVisible();
  await expectAccessible(page);
  await page.evaluate(() => (window as unknown as { seen: Set<string> }).seen.clear());
  await page.goBack();
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-pinned', 'false');
  await expect(feed.quadrant('top-left').getByRole('button', { name: 'Clear filter' })).toBeVisible();
  expect(await seen()).toEqual([]);
  expect(await savedFilters(page)).toContain('Forest');

  await openProfile(page);
  await page.getByRole('button', { name: 'Sign Out', exact: true }).click();
  await expect(page.getByText('Welcome to Fourfold')).toBeVisible();
  expect(await savedFilters(page)).toBeNull();
  await page.goBack();
  await feed.waitUntilAllAdvance();
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-filtered', 'false');
});

test('while the server is gone, filters open, apply and draw from the lists of this device, which say their age', async ({
  page,
  feed,
  demo,
  endings,
}) => {
  const network = await FaultyNetwork.start(demo.address);
  endings.push(() => network.close());
  await feed.play(network.address);
  await feed.waitForWorker();
  const inForest = await videosOf(demo, ['Forest']);
  const listed = page.context().waitForEvent('requestfinished', {
    predicate: (request) => request.url().includes('/api/videos/by-tags') && request.url().includes('OR'),
  });
  await filterBy(feed, 'bottom-right', 'Forest');
  await listed;
  // Its bytes are the only ones of the channel that this device has, once all of them are here.
  await expectOnly(feed, inForest, 'bottom-right');
  await poll(() => feed.quadrant('bottom-right').locator('video[data-layer="front"]').evaluate(isWhole)).toBe(true);
  await network.refuse();

  await page.mouse.move(360, 225);
  await feed.clickControl('top-left', 'Filter');
  const dialog = page.getByRole('dialog', { name: 'Filter Content' });
  await expect(dialog.getByText('Waiting for network. Listed just now.')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('checkbox', { name: 'Forest' }).check();
  await dialog.getByRole('button', { name: 'Apply (1)' }).click();
  await expect(dialog).toBeHidden();
  await expectOnly(feed, inForest);
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-phase', 'playing');
  await expect(feed.control('top-left', 'Filter (1 active)')).toBeAttached();
});

/** Runs in the page. */
function isWhole(element: Element): boolean {
  const { buffered, duration } = element as HTMLVideoElement;
  return buffered.length === 1 && buffered.start(0) === 0 && buffered.end(0) >= duration - 0.1;
}

async function filterBy(feed: Feed, quadrant: 'top-left' | 'bottom-right', channel: string): Promise<void> {
  const [x, y] = quadrant === 'top-left' ? [360, 225] : [1080, 675];
  await feed.page.mouse.move(x, y);
  await feed.clickControl(quadrant, 'Filter');
  const dialog = feed.page.getByRole('dialog', { name: 'Filter Content' });
  await dialog.getByRole('checkbox', { name: channel }).check();
  await dialog.getByRole('button', { name: 'Apply (1)' }).click();
  await expect(dialog).toBeHidden();
}

async function openProfile(page: Page): Promise<void> {
  await page.mouse.move(300, 400);
  await page.mouse.move(5, 400);
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('button', { name: 'Profile', exact: true }).click();
}

function savedFilters(page: Page): Promise<string | null> {
  return page.evaluate(() => localStorage.getItem('fourfold.filters'));
}
