import type { Page } from '@playwright/test';

const arrows = ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'] as const;

/** What `indexOf` says when the focus is on no control of the crawl. */
const elsewhere = -1;

interface Crawl {
  /** The controls that a remote has to reach from where it is, by name. */
  readonly controls: string[];
  readonly unreached: string[];
}

declare global {
  interface Window {
    /** The controls of the crawl that is under way. */
    crawled: HTMLElement[];
  }
}

/**
 * Presses every arrow on every control that arrows have led to so far, until nothing new is found. Controls that can be seen and take the focus count:
 * in the topmost menu or dialog, else on the page; and of those, the ones on the level where the focus is.
 * @param reopen for a layer that an arrow closes, as Right does the menu
 */
export async function crawl(page: Page, reopen?: () => Promise<void>): Promise<Crawl> {
  const controls = await page.evaluate(collectControls);
  const reached = new Set<number>();
  const waiting = [await page.evaluate(whereFocusIs)].filter((at) => at !== elsewhere);
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    if (reached.has(from)) continue;
    reached.add(from);
    for (const arrow of arrows) {
      await page.evaluate((at) => window.crawled[at]?.focus({ preventScroll: true }), from);
      await page.keyboard.press(arrow);
      const hasMoved = ![from, elsewhere].includes(await page.evaluate(whereFocusIs));
      if (arrow === 'ArrowLeft' && !hasMoved) await leaveNewMenu(page);
      if (reopen && (await page.evaluate(() => !window.crawled.some((control) => control.isConnected)))) {
        await reopen();
        await page.evaluate(collectControls);
        continue;
      }
      const to = await page.evaluate(whereFocusIs);
      if (to !== elsewhere) waiting.push(to);
    }
  }
  return { controls, unreached: controls.filter((_, at) => !reached.has(at)) };
}

/** Left at the left edge opens the menu, which is crawled by itself. It has been open before, so that it is drawn at once. */
async function leaveNewMenu(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const isNew = await page.evaluate(() => {
    const menu = document.querySelector('nav[data-focus-wrap]');
    return menu !== null && !window.crawled.some((control) => menu.contains(control));
  });
  if (!isNew) return;
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelector('nav[data-focus-wrap]') === null);
}

function whereFocusIs(): number {
  return window.crawled.indexOf(document.activeElement as HTMLElement);
}

function collectControls(): string[] {
  const layers = document.querySelectorAll<HTMLElement>('nav[data-focus-wrap], [aria-modal="true"]');
  const scope = layers[layers.length - 1] ?? document.body;
  const levelOf = (element: Element | null) => element?.parentElement?.closest('[data-focus-level]') ?? null;
  const level = levelOf(document.activeElement);
  // A video without controls has a tab index and takes no focus.
  const takesFocus = (element: HTMLElement) => element.tabIndex >= 0 && !element.matches(':disabled, video');
  const isSeen = (element: HTMLElement) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
  };
  window.crawled = [...scope.querySelectorAll<HTMLElement>('*')].filter((one) => takesFocus(one) && isSeen(one) && levelOf(one) === level);
  return window.crawled.map((one) => one.getAttribute('aria-label') ?? one.innerText);
}
