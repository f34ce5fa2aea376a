import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Quadrant } from '#contract/quadrants.ts';
import { expectAccessible } from './accessible.ts';
import type { Feed } from './feed.ts';
import { test } from './journey.ts';

declare global {
  interface Window {
    /** What moved for longer than an instant. */
    motions: string[];
  }
}

const here: Quadrant = 'top-left';

test('for somebody who wants less motion nothing on the screens moves by itself', async ({ feed, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.addInitScript(watchMotion);
  await feed.play();
  await feed.quadrant(here).hover();
  await feed.clickControl(here, 'Pin');
  await feed.clickControl(here, 'Unpin');
  await feed.clickControl(here, 'Expand');
  await page.keyboard.press('Escape');
  await openMenu(page);
  await page.getByRole('navigation', { name: 'Menu', exact: true }).getByRole('button', { name: 'Profile' }).click();
  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  expect(await page.evaluate(() => window.motions)).toEqual([]);
});

test('for somebody who wants more contrast all words of the feed, its menu and Profile stand out seven to one', async ({
  feed,
  page,
}) => {
  await page.emulateMedia({ contrast: 'more' });
  await feed.play();
  await feed.quadrant(here).hover();
  await expect(feed.control(here, 'Skip')).toBeVisible();
  await expectStrongContrast(page);
  await openMenu(page);
  await expectStrongContrast(page);
  await page.goto('/?view=profile');
  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  await expectStrongContrast(page);
});

test("with the system's own colours the ring, what is on, and the sliders are still seen", async ({
  feed,
  page,
  demo,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await feed.play();
  await focusByKeys(feed, page);
  const highlight = await page.evaluate(readHighlight);
  expect(await feed.quadrant(here).evaluate(listBorders), 'the ring of the quadrant').toContain(highlight);

  await feed.clickControl(here, 'Pin');
  await expect(feed.control(here, 'Unpin')).toHaveCSS('border-color', highlight);
  await feed.control(here, 'Unpin').press('Tab');
  expect(
    await page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineColor),
    'the ring of a control',
  ).toBe(highlight);
  await expect(feed.control(here, 'Seek')).toHaveCSS('appearance', 'auto');
  await expectAccessible(page);

  await feed.clickControl(here, 'Filter');
  const filter = page.getByRole('dialog', { name: 'Filter Content' });
  await filter.getByRole('button', { name: 'Long', exact: true }).click();
  await expect(filter.getByRole('button', { name: 'Long', exact: true })).toHaveCSS('border-width', '3px');
  await page.goto(`${demo.address}/?view=channels`);
  await page.getByRole('button', { name: /^Forest/ }).click();
  await expect(page.getByRole('button', { name: /^Forest/ })).toHaveCSS('border-width', '3px');
});

async function openMenu(page: Page): Promise<void> {
  await page.mouse.move(5, 300);
  await expect(page.getByRole('navigation', { name: 'Menu', exact: true })).toBeVisible();
}

function expectStrongContrast(page: Page): Promise<void> {
  return expectAccessible(page, ['color-contrast-enhanced']);
}

async function focusByKeys(feed: Feed, page: Page): Promise<void> {
  await page.keyboard.press('ArrowDown');
  await feed.quadrant(here).focus();
  await expect(feed.quadrant(here)).toBeFocused();
}

/** Runs in the page before its own scripts. */
function watchMotion(): void {
  window.motions = [];
  const note = ({ target }: Event) => {
    for (const animation of (target as Element).getAnimations()) {
      const { duration } = animation.effect?.getComputedTiming() ?? {};
      if (Number(duration) > 1) window.motions.push(`${(target as Element).className}: ${duration} ms`);
    }
  };
  for (const name of ['animationstart', 'transitionrun']) document.addEventListener(name, note, true);
}

/** Runs in the page. */
function readHighlight(): string {
  const sample = document.body.appendChild(document.createElement('span'));
  sample.style.color = 'Highlight';
  const { color } = getComputedStyle(sample);
  sample.remove();
  return color;
}

/** Runs in the page: the colours of all borders that are drawn in an element. */
function listBorders(section: Element): string[] {
  const styles = [...section.querySelectorAll('*')].map((part) => getComputedStyle(part));
  return styles.filter(({ borderTopWidth }) => borderTopWidth !== '0px').map(({ borderTopColor }) => borderTopColor);
}
