import type { Page } from '@playwright/test';
import { poll } from './poll.ts';

export const leastTargetPx = 44;

const sizes = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 360, height: 640 },
];

/**
 * Runs in the page: targets that are too small for a thumb or cannot be brought into sight, words that are broken, and
 * what makes the page wider than the screen.
 */
export function listThumbFaults(leastPx: number): string[] {
  const toleranceCssPx = 1;
  /** Longer words may be names, which are broken anywhere. */
  const longestOwnWord = 14;
  const faults = new Set<string>();
  const options = { opacityProperty: true, visibilityProperty: true };
  const isIn = (from: number, to: number, least: number, most: number) =>
    from >= least - toleranceCssPx && to <= most + toleranceCssPx;
  /**
   * Where an element is out of sight for good: only what scrolls along an axis brings into sight what lies beyond it
   * there. The page itself scrolls downwards, but for what is fixed over it.
   */
  const outOfSight = (element: Element): string | null => {
    let { left, right, top, bottom } = element.getBoundingClientRect();
    let { position } = getComputedStyle(element);
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      if (position === 'fixed') break;
      const style = getComputedStyle(around);
      if (position === 'absolute' && style.position === 'static') continue;
      if (around === document.body) break;
      const box = around.getBoundingClientRect();
      const place = around.className || around.tagName;
      if (/auto|scroll/.test(style.overflowX)) ({ left, right } = box);
      else if (style.overflowX !== 'visible' && !isIn(left, right, box.left, box.right)) return `cut off by ${place}`;
      if (/auto|scroll/.test(style.overflowY) && around.clientHeight >= leastPx) ({ top, bottom } = box);
      else if (style.overflowY !== 'visible' && !isIn(top, bottom, box.top, box.bottom)) return `cut off by ${place}`;
      position = style.position;
    }
    if (!isIn(left, right, 0, screen.width)) return 'beyond the screen';
    return position === 'fixed' && !isIn(top, bottom, 0, innerHeight) ? 'below or above the window' : null;
  };
  const dialog = [...document.querySelectorAll('[aria-modal="true"]')].at(-1);
  for (const control of document.querySelectorAll<HTMLElement>(
    'button, a[href], input, select, textarea, [role="tab"]',
  )) {
    const target = control.closest('label') ?? control;
    const { width, height } = target.getBoundingClientRect();
    if (width <= 1 || height <= 1 || !target.checkVisibility(options) || control.closest('[aria-hidden="true"]'))
      continue;
    // A link within a sentence is as high as its line (WCAG 2.5.8).
    if (control.matches('p a')) continue;
    const name = control.getAttribute('aria-label') ?? target.textContent ?? '';
    if (Math.min(width, height) < leastPx - 0.5)
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
    const place = dialog === undefined || dialog.contains(target) ? outOfSight(target) : null;
    if (place !== null) faults.add(`${place}: ${name}`);
  }
  const texts = document.createTreeWalker(dialog ?? document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    const { parentElement } = currentNode;
    if (parentElement === null || !parentElement.checkVisibility(options)) continue;
    if (parentElement.closest('bdi') || parentElement.getBoundingClientRect().width <= 1) continue;
    for (const { 0: word, index } of (currentNode.textContent ?? '').matchAll(/\S+/g)) {
      if (word.length > longestOwnWord || !/^\p{L}+$/u.test(word)) continue;
      const range = document.createRange();
      range.setStart(currentNode, index);
      range.setEnd(currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
        faults.add(`a broken word: ${word}`);
    }
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > screen.width + 1) {
    const isBeyond = (element: Element) => outOfSight(element) === 'beyond the screen';
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
