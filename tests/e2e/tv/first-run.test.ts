import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { password } from '../accounts.ts';
import { crawl } from '../crawl.ts';
import { fixtureOf } from '../hues.ts';
import { test } from '../journey.ts';
import { openEmptyProduct, ownNames } from '../new-site.ts';
import { poll } from '../poll.ts';
import { listTvFaults } from '../tv-layout.ts';

/** As few presses of OK as the product promises clicks. */
const pressesAtMost = 12;

/** Of what stands under the dialog, the start of the feed is wider than the safe part. */
async function expectTvLayout(page: Page): Promise<void> {
  const faults = await page.evaluate(listTvFaults);
  expect(faults.filter((fault) => !fault.includes('Tap anywhere'))).toEqual([]);
}

test('with at most 12 presses of OK a new administrator comes to four videos of their own by remote', async ({
  page,
  feed,
  openProduct,
  endings,
}) => {
  const product = await openEmptyProduct(openProduct, endings);
  let presses = 0;
  const ok = async (control: Locator) => {
    await expect(control).toBeFocused();
    presses += 1;
    await page.keyboard.press('Enter');
  };
  const named = (name: string) => page.getByRole('button', { name, exact: true });
  await page.goto(`${product.address}/?form=tv&setup=${product.setupCode}`);
  await expect(page.getByLabel('Username')).toBeFocused();
  for (const text of ['mara', 'mara@example.com', 'Mara Lindqvist', password, password, '']) {
    await page.keyboard.type(text);
    await page.keyboard.press('ArrowDown');
  }
  await ok(page.locator('[type="submit"]'));

  await expect(named('Choose a Folder')).toBeFocused();
  await page.setViewportSize({ width: 960, height: 540 });
  await expectAccessible(page);
  await expectTvLayout(page);
  expect((await crawl(page, { isBrief: true })).unreached).toEqual([]);
  await feed.walkTo(named('Choose a Folder'), 'ArrowUp');
  await ok(named('Choose a Folder'));
  await expect(named('films')).toBeFocused();
  await expectAccessible(page);
  await expectTvLayout(page);
  await ok(named('films'));
  await ok(named('Use This Folder'));
  await expect(page.getByText('Found 4 videos')).toBeVisible();
  await feed.walkTo(named('Next'), 'ArrowDown');
  await ok(named('Next'));

  await expect(page.getByRole('button', { name: /^Everybody on this network/ })).toBeFocused();
  await expectAccessible(page);
  await expectTvLayout(page);
  expect((await crawl(page, { isBrief: true })).unreached).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Your videos' })).toBeVisible();
  await feed.walkTo(named('Next'), 'ArrowDown');
  await ok(named('Next'));
  await feed.walkTo(page.getByRole('button', { name: /^(Back|Skip|Next)$/ }), 'ArrowDown');
  await feed.walkTo(named('Next'), 'ArrowRight');
  await ok(named('Next'));

  await expect(page.getByRole('dialog', { name: 'Ready' })).toContainText('http://');
  await expectAccessible(page);
  await expectTvLayout(page);
  expect((await crawl(page, { isBrief: true })).unreached).toEqual([]);
  await feed.walkTo(named('Start Watching'), 'ArrowRight');
  await ok(named('Start Watching'));
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await poll(async () => {
    const pictures = Object.values(await feed.look());
    return pictures.flatMap(({ colour }) => (colour === null ? [] : [fixtureOf(colour)])).sort();
  }).toEqual([...ownNames].sort());
  expect(presses).toBeLessThanOrEqual(pressesAtMost);
});
