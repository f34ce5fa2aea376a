import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { expectDialogAccessible } from '../accessible.ts';
import { answerFirst } from '../answer-first.ts';
import { crawl } from '../crawl.ts';
import { dialogSites } from '../dialog-sites.ts';
import type { DialogWay } from '../dialogs.ts';
import { closeDialog, dialogsOfQuadrants, openDialog } from '../dialogs.ts';
import { expectNewRings } from '../focus-ring.ts';
import { test } from '../journey.ts';
import { expectAllReached, listTvFaults, tvSizes } from '../tv-layout.ts';
import { holdOk, openVenue, pinPad, waitUntilFourMove } from '../venue.ts';

for (const { who, open, stages } of dialogSites) {
  test(`arrows reach every control of each dialog of ${who} and Back leads to what opened it; all of it can be read and seen`, async ({
    page,
    context,
    feed,
    endings,
    openProduct,
    askFor,
  }) => {
    const journey = { page, context, feed, endings, openProduct, askFor };
    const site = await open(journey);
    for (const { begin, ways } of stages) {
      await begin?.(journey, site);
      for (const way of ways.filter(({ form = 'tv' }) => form === 'tv')) {
        // Each dialog is opened anew for its crawl.
        await page.goto(`${site.address}/?form=tv&view=${way.view}&${way.query ?? ''}`);
        await expect(page.locator('main :focus, [aria-modal="true"] :focus')).toHaveCount(1);
        await expectDialogReached(page, way);
      }
    }
  });
}

/** From where the page is to the dialog, around in it, and back. */
async function expectDialogReached(page: Page, way: DialogWay): Promise<void> {
  const dialog = await openDialog(page, way);
  await expectAllReached(page, 1);
  await expectTvDialog(page, dialog, `${way.name} of ${way.view}`);
  await closeDialog(page, dialog, way);
}

/** All of a dialog can be read and seen. */
async function expectTvDialog(page: Page, dialog: Locator, what: string): Promise<void> {
  for (const size of tvSizes) {
    await page.setViewportSize(size);
    expect(await page.evaluate(listTvFaults), `${what} at ${size.width}`).toEqual([]);
  }
  await page.setViewportSize(tvSizes[0]);
  await expect(dialog.locator(':focus')).toHaveCount(1);
  await expectDialogAccessible(page);
  await expectNewRings(page, dialog);
}

test('arrows stay inside a dialog and reach every control of it, at either size', async ({ page, feed }) => {
  await answerFirst(page, '**/api/video/top-left*', {
    status: 401,
    json: { error: 'auth_required', message: 'Sign in' },
  });
  await feed.open('/?form=tv');
  await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1);
  // The first key loads the code that handles keys, and is handled once it is there.
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('button', { name: 'Close' })).toBeFocused();
  for (const size of tvSizes) {
    await page.setViewportSize(size);
    await expectAllReached(page, 2);
  }
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(feed.start).toBeFocused();
});

test('arrows reach every entry of the menus of a quadrant and of its filter, and Back leads to what opened it; all of it can be read and seen', async ({
  page,
  feed,
  spoken,
}) => {
  await feed.open(`${spoken.address}/?form=tv`);
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  for (const way of dialogsOfQuadrants) {
    await feed.enterControls('top-right');
    await expectDialogReached(page, way);
    await expect(async () => {
      await page.keyboard.press('Escape');
      await expect(feed.quadrant('top-right')).toBeFocused({ timeout: 1_000 });
    }).toPass();
  }
});

test('arrows reach every digit of the pad for the PIN of a venue, and Back leads to its videos; all of it can be read and seen', async ({
  page,
  product,
}) => {
  await openVenue(page, product.address, { pin: '1234' }, '&form=tv');
  await waitUntilFourMove(page);
  await holdOk(page);
  // OK takes four digits.
  for (const digit of '1234') await page.keyboard.press(digit);
  const { controls, unreached, lost } = await crawl(page, { isBrief: true });
  expect(controls.length, controls.join(', ')).toBe(13);
  expect({ unreached, lost }).toEqual({ unreached: [], lost: [] });
  // The pad stays while somebody types.
  await pinPad(page).getByRole('button', { name: '1' }).focus();
  for (const key of ['5', 'Backspace']) await page.keyboard.press(key);
  await expectTvDialog(page, pinPad(page), 'the pad');
  await page.keyboard.press('Escape');
  await expect(pinPad(page)).toHaveCount(0);
  await waitUntilFourMove(page);
});
