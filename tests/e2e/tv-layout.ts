import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { crawl } from './crawl.ts';

export const tvSizes = [
  { width: 1920, height: 1080 },
  { width: 1280, height: 720 },
  { width: 960, height: 540 },
] as const;

/** The sizes differ by their scale alone: every arrow is tried on every control at the first one. */
export async function expectAllReached(page: Page, atLeast: number, options?: { reopenBy: string }): Promise<void> {
  const isBrief = page.viewportSize()?.width !== tvSizes[0].width;
  const { controls, unreached, lost } = await crawl(page, { isBrief, ...options });
  expect(controls.length, controls.join(', ')).toBeGreaterThanOrEqual(atLeast);
  expect({ unreached, lost }, `of ${controls.join(', ')}`).toEqual({ unreached: [], lost: [] });
}

/**
 * Runs in the page, on a TV of 16:9: texts that are too small, controls that are too small, and what stands beyond the
 * part that every TV shows. The measures are those of a screen of 1080 lines, and no numbers of the product.
 */
export function listTvFaults(): string[] {
  const scale = innerWidth / 1_920;
  const [leastTextPx, leastTargetPx, margin] = [24 * scale, 56 * scale, 0.05 * innerWidth];
  const toleranceCssPx = 1;
  /** The focused control grows beyond its place. */
  const growthPx = 8 * scale;
  const faults = new Set<string>();
  const isSeen = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    const options = { opacityProperty: true, visibilityProperty: true };
    // What is for screen readers alone may lie anywhere.
    const isForEyes = element.closest('.visually-hidden') === null;
    return isForEyes && width > 1 && height > 1 && element.checkVisibility(options);
  };
  const isInList = (element: Element) => {
    for (let around: Element | null = element; around !== null; around = around.parentElement)
      if (around.scrollWidth > around.clientWidth && /auto|scroll/.test(getComputedStyle(around).overflowX))
        return true;
    return false;
  };
  const judgePlace = (name: string, element: Element, { left, right }: DOMRect) => {
    const isOutside =
      left < margin - growthPx - toleranceCssPx || right > innerWidth - margin + growthPx + toleranceCssPx;
    if (isOutside && !isInList(element)) faults.add(`beyond the safe sides: ${name}`);
  };

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    const { parentElement } = currentNode;
    const text = currentNode.textContent?.trim() ?? '';
    if (text === '' || parentElement === null || !isSeen(parentElement)) continue;
    const px = Number.parseFloat(getComputedStyle(parentElement).fontSize);
    if (px < leastTextPx - 0.01) faults.add(`a text of ${px} px: ${text}`);
    const range = document.createRange();
    range.selectNodeContents(currentNode);
    for (const box of range.getClientRects()) judgePlace(text, parentElement, box);
  }
  for (const control of document.querySelectorAll<HTMLElement>('button, a[href], input, select, textarea')) {
    const target = control.closest('label') ?? control;
    if (!isSeen(target) || control.matches(':disabled, [tabindex="-1"]')) continue;
    const name = control.getAttribute('aria-label') ?? target.textContent ?? '';
    const { width, height } = target.getBoundingClientRect();
    if (Math.min(width, height) < leastTargetPx - toleranceCssPx)
      faults.add(`a target of ${Math.round(width)}×${Math.round(height)}: ${name}`);
    judgePlace(name, target, target.getBoundingClientRect());
  }
  return [...faults];
}
