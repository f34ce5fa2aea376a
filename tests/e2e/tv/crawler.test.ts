import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { FolderList } from '#contract/entities/site.ts';
import { quadrants } from '#contract/quadrants.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { acceptAgreement, registerAt, send } from '../accounts.ts';
import { answerFirst } from '../answer-first.ts';
import { crawl } from '../crawl.ts';
import type { DialogWay } from '../dialogs.ts';
import {
  closeDialog,
  dialogsOfAdministrators,
  dialogsOfCurators,
  dialogsOfGuests,
  dialogsOfOperators,
  dialogsWithChanges,
  dialogsWithSaved,
  dialogsWithUploads,
  openDialog,
  savedQuestion,
  uploadsQuestion,
} from '../dialogs.ts';
import { everyView } from '../every-view.ts';
import type { Feed } from '../feed.ts';
import { expectInWindow } from '../in-window.ts';
import { test } from '../journey.ts';
import { openEmptyProduct } from '../new-site.ts';
import { poll } from '../poll.ts';
import { SignIn } from '../sign-in.ts';
import { makeTags } from '../tagged-library.ts';
import { listTvFaults } from '../tv-layout.ts';
import { Uploads } from '../uploads.ts';

const sizes = [
  { width: 1920, height: 1080 },
  { width: 1280, height: 720 },
  { width: 960, height: 540 },
] as const;

const menu = (page: Page) => page.getByRole('navigation', { name: 'Menu' });

/** The sizes differ by their scale alone: every arrow is tried on every control at the first one. */
async function expectAllReached(page: Page, atLeast: number, options?: { reopenBy: string }): Promise<void> {
  const isBrief = page.viewportSize()?.width !== sizes[0].width;
  const { controls, unreached, lost } = await crawl(page, { isBrief, ...options });
  expect(controls.length, controls.join(', ')).toBeGreaterThanOrEqual(atLeast);
  expect({ unreached, lost }, `of ${controls.join(', ')}`).toEqual({ unreached: [], lost: [] });
}

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
  for (const size of sizes) {
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
    for (const size of sizes) {
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
    for (const size of sizes) {
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

/** Each dialog is opened anew for its crawl. */
async function expectDialogsReached(page: Page, address: string, ways: readonly DialogWay[]): Promise<void> {
  for (const way of ways) {
    await page.goto(`${address}/?form=tv&view=${way.view}`);
    await expect(page.locator('main :focus, [aria-modal="true"] :focus')).toHaveCount(1);
    const dialog = await openDialog(page, way);
    await expectAllReached(page, 1);
    for (const size of sizes) {
      await page.setViewportSize(size);
      expect(await page.evaluate(listTvFaults), `${way.name} of ${way.view} at ${size.width}`).toEqual([]);
    }
    await page.setViewportSize(sizes[0]);
    await expect(dialog.locator(':focus')).toHaveCount(1);
    await closeDialog(page, dialog, way);
  }
}

test('arrows reach every control of each dialog of a guest, and Back leads to what opened it', async ({
  page,
  product,
}) => {
  await expectDialogsReached(page, product.address, dialogsOfGuests);
});

test('arrows reach every control of each dialog of an administrator, and Back leads to what opened it', async ({
  page,
  club,
}) => {
  await registerAt(club, 'quinn');
  await new SignIn(page).enterAs(club, 'first');
  await expectDialogsReached(page, club.address, dialogsOfAdministrators);
});

test('arrows reach every control of each dialog for tags, and Back leads to what opened it', async ({ page, desk }) => {
  await makeTags(desk, 'Aurora', 'Cities');
  await new SignIn(page).enterAs(desk, 'first');
  await expectDialogsReached(page, desk.address, dialogsOfCurators);
});

test('arrows reach every control of each dialog of whoever sets up a product, the agreement among them, and Back leads to what opened it', async ({
  page,
  openProduct,
  endings,
}) => {
  const product = await openEmptyProduct(openProduct, endings);
  const { access_token: token } = await registerAt(product, 'first');
  const { folders } = await send<FolderList>(product, 'GET', '/api/admin/folders', token);
  await send(product, 'PUT', '/api/admin/settings', token, { values: { LIBRARY_DIRS: folders[0]?.path } });
  await new SignIn(page).enterAs(product, 'first');
  await expectDialogsReached(page, product.address, dialogsOfOperators);
});

test('arrows reach every control of each dialog about what a device holds, and Back leads to what opened it', async ({
  page,
  context,
  feed,
  inbox,
}) => {
  await acceptAgreement(inbox, await registerAt(inbox, 'vera'));
  await new SignIn(page).enterAs(inbox, 'vera');
  await feed.play(inbox.address);
  await feed.keepOffline('top-left');
  await feed.waitForWorker();
  await expectDialogsReached(page, inbox.address, dialogsWithSaved);

  await context.setOffline(true);
  await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).press('Enter');
  await expect(page.getByText('1 change waits for the network.')).toBeVisible();
  await expectDialogsReached(page, inbox.address, dialogsWithChanges);
  await context.setOffline(false);
  await expect(page.getByText('1 change waits for the network.')).toBeHidden();

  const uploads = new Uploads(page);
  await uploads.open(inbox.address);
  await uploads.addStaged(corpusFile('xvid-mp3.avi'));
  await expectDialogsReached(page, inbox.address, dialogsWithUploads);

  // One question follows the other.
  await page.goto(`${inbox.address}/?form=tv&view=profile`);
  const question = await openDialog(page, uploadsQuestion);
  await question.getByRole('button', { name: 'Sign Out' }).press('Enter');
  await expect(question).toContainText(savedQuestion.says);
  await expectAllReached(page, 3);
  await closeDialog(page, question, savedQuestion);
});

test('arrows stay inside a dialog and reach every control of it, at either size', async ({ page, feed }) => {
  await answerFirst(page, '**/api/video/top-left*', {
    status: 401,
    json: { error: 'auth_required', message: 'Sign in' },
  });
  await feed.open('/?form=tv');
  await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1);
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expectAllReached(page, 2);
  }
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(feed.start).toBeFocused();
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
