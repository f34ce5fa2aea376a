import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { expectDialogAccessible } from '../accessible.ts';
import { dialogSites } from '../dialog-sites.ts';
import { openDialog } from '../dialogs.ts';
import { test } from '../journey.ts';
import { expectForThumbs } from '../thumbs.ts';
import { holdOk, openVenue, pinPad, waitUntilFourMove } from '../venue.ts';

const tap = (button: Locator) => button.tap();

for (const { who, open, stages } of dialogSites) {
  test(`each dialog of ${who} fits thumbs and the screen, also with text of twice the size`, async ({
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
      for (const way of ways.filter(({ form = 'phone' }) => form === 'phone')) {
        await page.goto(`${site.address}/?view=${way.view}&${way.query ?? ''}`);
        const dialog = await openDialog(page, way, tap);
        await expectForThumbsAndBack(page, dialog, `${way.name} of ${way.view}`);
      }
    }
  });
}

async function expectForThumbsAndBack(page: Page, dialog: Locator, what: string): Promise<void> {
  for (const isLarge of [false, true]) await expectForThumbs(page, what, isLarge);
  await expectDialogAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
}

test('the pad for the PIN of a venue, and the offer to whoever uses arrows, fit thumbs and the screen', async ({
  page,
  product,
}) => {
  await page.goto(product.address);
  await expect(page.locator('section[data-quadrant]')).toHaveCount(4);
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowDown');
  const offer = page.getByRole('alertdialog', { name: 'Use the TV layout?' });
  await expect(offer).toBeVisible();
  await expectForThumbsAndBack(page, offer, 'the offer');

  await openVenue(page, product.address, { pin: '1234' });
  await waitUntilFourMove(page);
  await holdOk(page);
  await expectForThumbsAndBack(page, pinPad(page), 'the pad');
});

test.describe('on an iPhone', () => {
  const system = 'iPhone; CPU iPhone OS 17_5 like Mac OS X';
  const safari = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
  test.use({ userAgent: `Mozilla/5.0 (${system}) ${safari}` });

  test('the steps to the home screen fit thumbs and the screen', async ({ page, product }) => {
    await page.goto(`${product.address}/robots.txt`);
    await page.evaluate(() => localStorage.setItem('fourfold.install', JSON.stringify({ isEarned: true })));
    await page.goto(`${product.address}/?view=profile`);
    await page.getByRole('button', { name: 'Show how' }).tap();
    const steps = page.getByRole('dialog', { name: 'Add to Home Screen' });
    await expect(steps).toBeVisible();
    await expectForThumbsAndBack(page, steps, 'the steps');
  });
});
