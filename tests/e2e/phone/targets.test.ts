import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { dialogsOfGuests } from '../dialogs.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';
import { SignIn } from '../sign-in.ts';

const leastTargetPx = 44;

const sizes = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 360, height: 640 },
];

const views = ['channels', 'upload', 'admin', 'tag-management', 'video-tagging', 'performance', 'profile'];

/** Runs in the page: targets that are too small for a thumb, and what makes the page wider than the screen. */
function listThumbFaults(leastPx: number): string[] {
  const toleranceCssPx = 0.5;
  const faults = new Set<string>();
  const isScrolled = (element: Element | null): boolean =>
    element !== null &&
    element !== document.body &&
    (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || isScrolled(element.parentElement));
  for (const control of document.querySelectorAll<HTMLElement>(
    'button, a[href], input, select, textarea, [role="tab"]',
  )) {
    const target = control.closest('label') ?? control;
    const options = { opacityProperty: true, visibilityProperty: true };
    const { width, height, right } = target.getBoundingClientRect();
    if (width <= 1 || height <= 1 || !target.checkVisibility(options) || control.closest('[aria-hidden="true"]'))
      continue;
    // A link within a sentence is as high as its line (WCAG 2.5.8).
    if (control.matches('p a')) continue;
    const name = control.getAttribute('aria-label') ?? target.textContent ?? '';
    if (Math.min(width, height) < leastPx - toleranceCssPx)
      faults.add(`a target of ${Math.round(width)}×${Math.round(height)}: ${name}`);
    const box = target.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    // What a list scrolls away is covered by right.
    const layer = '[data-quadrant]';
    const isCovered = hit !== null && !target.contains(hit) && !hit.contains(target);
    if (isCovered && target.closest(layer) !== null && target.closest(layer) === hit.closest(layer))
      faults.add(`covered by ${hit.tagName}: ${name}`);
    if (right > screen.width + 1 && !isScrolled(target.parentElement)) faults.add(`beyond the screen: ${name}`);
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > screen.width + 1) faults.add(`a page of ${scrollWidth} on a screen of ${screen.width}`);
  return [...faults];
}

async function expectForThumbs(page: Page, where: string, largeText = false): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await page.evaluate((isLarge) => {
      document.documentElement.style.fontSize = isLarge ? '200%' : '';
    }, largeText);
    // The page hears of its new size, and draws for it, a little later.
    await poll(() => page.evaluate(listThumbFaults, leastTargetPx), {
      message: `${where} at ${size.width}×${size.height}`,
    }).toEqual([]);
  }
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '';
  });
}

for (const largeText of [false, true]) {
  test(`each view fits thumbs and the screen${largeText ? ', also with text of twice the size' : ''}`, async ({
    page,
    club,
  }) => {
    await new SignIn(page).enterAs(club, 'first');
    for (const view of views) {
      await page.goto(`${club.address}/?view=${view}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
      await expectForThumbs(page, view, largeText);
    }
  });
}

test('the feed, its menus and the dialogs fit thumbs and the screen, also with large text', async ({ page, feed }) => {
  await feed.play();
  await feed.quadrant('top-left').tap({ position: { x: 60, y: 60 } });
  await expect(feed.control('top-left', 'Pin')).toBeVisible();
  for (const isLarge of [false, true]) await expectForThumbs(page, 'the dock', isLarge);
  await feed.quadrant('top-left').click({ button: 'right', position: { x: 60, y: 60 } });
  const menu = page.getByRole('dialog', { name: 'Top left' });
  await expect(menu).toBeVisible();
  for (const isLarge of [false, true]) await expectForThumbs(page, 'the menu of a quadrant', isLarge);
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await feed
    .quadrant('top-left')
    .getByRole('button', { name: /^Filter/ })
    .click();
  await expect(page.getByRole('dialog', { name: 'Filter Content' })).toBeVisible();
  for (const isLarge of [false, true]) await expectForThumbs(page, 'the filter', isLarge);
  for (const { view, path, name } of dialogsOfGuests) {
    await page.goto(`/?view=${view}`);
    for (const step of path) await page.getByRole('main').getByRole('button', { name: step, exact: true }).tap();
    await expect(page.getByRole('dialog', { name })).toBeVisible();
    for (const isLarge of [false, true]) await expectForThumbs(page, `${name}`, isLarge);
  }
});

test('a target that is too small, and one beyond the screen, are found', async ({ page }) => {
  await page.goto('/?view=profile');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.evaluate(() => {
    const planted = document.createElement('button');
    planted.textContent = 'Planted';
    planted.style.cssText = 'position:absolute;top:0;left:380px;width:40px;height:40px';
    document.body.append(planted);
  });
  const faults = await page.evaluate(listThumbFaults, leastTargetPx);
  expect(faults.filter((fault) => fault.endsWith('Planted'))).toEqual([
    'a target of 40×40: Planted',
    'beyond the screen: Planted',
  ]);
});
