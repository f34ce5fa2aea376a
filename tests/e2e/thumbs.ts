import type { Page } from '@playwright/test';
import { poll } from './poll.ts';

export const leastTargetPx = 44;

const sizes = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 360, height: 640 },
];

/** Runs in the page: targets that are too small for a thumb, and what makes the page wider than the screen. */
export function listThumbFaults(leastPx: number): string[] {
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
    // What a list scrolls away is covered by right, and so is what lies behind a dialog.
    const layer = '[data-quadrant]';
    const isCovered = hit !== null && !target.contains(hit) && !hit.contains(target);
    const isInLayer = isCovered && target.closest(layer) === hit.closest(layer);
    const cover = isCovered ? hit.closest('button:not([aria-modal] *)') : null;
    if (isCovered && target.closest(layer) !== null && (isInLayer || cover !== null))
      faults.add(`covered by ${cover?.getAttribute('aria-label') ?? hit.tagName}: ${name}`);
    if (right > screen.width + 1 && !isScrolled(target.parentElement)) faults.add(`beyond the screen: ${name}`);
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > screen.width + 1) {
    const isBeyond = (element: Element) =>
      element.getBoundingClientRect().right > screen.width + 1 && !isScrolled(element.parentElement);
    const inner = [...document.querySelectorAll('body *')].filter(
      (element) => isBeyond(element) && ![...element.children].some(isBeyond),
    );
    const found = inner.map((element) => `${element.tagName} ${element.className} ${element.textContent}`.slice(0, 80));
    faults.add(`a page of ${scrollWidth} on a screen of ${screen.width} (${found.join(' | ')})`);
  }
  return [...faults];
}

export async function expectForThumbs(page: Page, where: string, largeText = false): Promise<void> {
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
