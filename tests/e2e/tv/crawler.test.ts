import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { crawl } from '../crawl.ts';
import { everyView } from '../every-view.ts';
import type { Feed } from '../feed.ts';
import { expectNewRings } from '../focus-ring.ts';
import { expectInWindow } from '../in-window.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';
import { SignIn } from '../sign-in.ts';
import { makeTags } from '../tagged-library.ts';
import { expectAllReached, listTvFaults, tvSizes } from '../tv-layout.ts';

const menu = (page: Page) => page.getByRole('navigation', { name: 'Menu' });

async function start(page: Page, feed: Feed): Promise<void> {
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  await page.keyboard.press('ContextMenu');
  await expect(menu(page)).toBeVisible();
  await page.keyboard.press('ContextMenu');
  await expect(menu(page)).toBeHidden();
  await page.keyboard.press('ArrowDown');
}

test('arrows reach the four quadrants, in each of them every control, and every entry of its menu, at either size; Back leads to the button that opened it', async ({
  page,
  feed,
}) => {
  await start(page, feed);
  for (const size of tvSizes) {
    await page.setViewportSize(size);
    await expectAllReached(page, quadrants.length);
    for (const quadrant of quadrants) {
      await feed.enterControls(quadrant);
      await expectAllReached(page, 6);
      expect(await page.evaluate(listTvFaults), `${quadrant} at ${size.width}`).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(feed.quadrant(quadrant)).toBeFocused();
    }
    await feed.enterControls('top-right');
    await feed.control('top-right', 'More').focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: 'Top right' });
    await expect(menu.locator(':focus')).toHaveCount(1);
    await expectInWindow(menu);
    await expectAllReached(page, 5);
    expect(await page.evaluate(listTvFaults), `menu at ${size.width}`).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(feed.control('top-right', 'More')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(feed.quadrant('top-right')).toBeFocused();
  }
});

test('arrows reach every entry of the menu, and every control of every view, at either size, signed in; all of it can be read and seen', async ({
  page,
  club,
}) => {
  await new SignIn(page).enterAs(club, 'first');
  for (const [place, { view }] of everyView.entries()) {
    await page.goto(`${club.address}/?form=tv&view=${view}`);
    for (const size of tvSizes) {
      await page.setViewportSize(size);
      await expect(page.locator('main :focus')).toHaveCount(1);
      await page.keyboard.press('ContextMenu');
      await expect(menu(page).locator(':focus')).toHaveCount(1);
      // The same menu stands over every view: it is crawled once.
      if (place === 0) await expectAllReached(page, 3, { reopenBy: 'ContextMenu' });
      await page.keyboard.press('ContextMenu');
      await expect(menu(page)).toBeHidden();
      await expect(page.locator('main :focus')).toHaveCount(1);
      await expectAllReached(page, 1);
      expect(await page.evaluate(listTvFaults), `${view} at ${size.width}`).toEqual([]);
      if (size === tvSizes[0]) await expectNewRings(page, page.getByRole('main'));
    }
  }
});

test('arrows reach every control of the lists that an administrator works with, at either size', async ({
  page,
  desk,
}) => {
  await makeTags(desk, 'Aurora', 'Cities');
  await new SignIn(page).enterAs(desk, 'first');
  const lists = {
    channels: page.getByRole('button', { name: 'Aurora' }),
    'tag-management': page.getByRole('button', { name: 'Delete Cities' }),
    'video-tagging': page.getByRole('button', { name: /hue /i }).nth(3),
  };
  for (const [view, last] of Object.entries(lists)) {
    await page.goto(`${desk.address}/?form=tv&view=${view}`);
    await expect(last).toBeVisible();
    // The menu is drawn at once when it has been open before.
    await page.keyboard.press('ContextMenu');
    await expect(menu(page)).toBeVisible();
    await page.keyboard.press('ContextMenu');
    await expect(menu(page)).toBeHidden();
    for (const size of tvSizes) {
      await page.setViewportSize(size);
      await expect(page.locator('main :focus')).toHaveCount(1);
      await expectAllReached(page, 4);
      expect(await page.evaluate(listTvFaults), `${view} at ${size.width}`).toEqual([]);
    }
  }
});

test('a control that has lost its way, and one that is too small and beyond the safe sides, are found', async ({
  page,
}) => {
  await page.goto('/?form=tv&view=channels');
  // The list of channels replaces what stands in its place while it loads.
  await expect(page.getByRole('heading', { name: 'No channels available' })).toBeVisible();
  await expect(page.locator('main :focus')).toHaveCount(1);
  await page.evaluate(() => {
    const planted = document.createElement('button');
    planted.textContent = 'Planted';
    planted.style.cssText = 'position:fixed;left:4px;top:0;width:40px;height:40px;font-size:10px';
    planted.addEventListener('focus', () => planted.blur());
    document.querySelector('main')?.append(planted);
  });
  const { unreached } = await crawl(page);
  expect(unreached).toEqual(['Planted']);
  expect(await page.evaluate(listTvFaults)).toEqual([
    'a text of 10 px: Planted',
    'beyond the safe sides: Planted',
    'a target of 40×40: Planted',
  ]);
});

test('Back closes exactly one layer each time, leads to the feed, and there is left to the browser', async ({
  page,
  feed,
}) => {
  await page.goto('about:blank');
  await start(page, feed);
  const open = () =>
    page.evaluate(() => ({
      view: document.title,
      isMenuOpen: document.querySelector('nav[data-focus-wrap]') !== null,
      isEntered: document.activeElement?.parentElement?.closest('[data-focus-level]') !== null,
    }));
  const atFeed = { view: 'Fourfold', isMenuOpen: false, isEntered: false };
  const back = (code: 'Escape' | 'GoBack') => page.evaluate(pressKey, code);

  await feed.enterControls('bottom-left');
  await poll(open).toEqual({ ...atFeed, isEntered: true });
  await back('GoBack');
  await poll(open).toEqual(atFeed);

  await page.keyboard.press('ContextMenu');
  await expect(menu(page).getByRole('button', { name: 'Feed' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await poll(open).toEqual({ ...atFeed, view: 'Videos – Fourfold' });
  await page.keyboard.press('ContextMenu');
  await poll(open).toEqual({ view: 'Videos – Fourfold', isMenuOpen: true, isEntered: false });
  await back('Escape');
  await poll(open).toEqual({ ...atFeed, view: 'Videos – Fourfold' });
  await back('GoBack');
  await poll(open).toEqual(atFeed);
  await feed.waitUntilAllAdvance();

  expect(await back('GoBack')).toBe(false);
  await page.goBack();
  await expect(page).toHaveURL('about:blank');
});

/** Runs in the page: a key that no keyboard of the test has. Tells whether the app took it. */
function pressKey(key: string): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  (document.activeElement ?? document.body).dispatchEvent(event);
  return event.defaultPrevented;
}
