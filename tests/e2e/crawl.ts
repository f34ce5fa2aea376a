import type { Page } from '@playwright/test';

type Arrow = 'ArrowRight' | 'ArrowDown' | 'ArrowLeft' | 'ArrowUp';

/** A way from one control to another. */
interface Step {
  readonly from: number;
  readonly arrow: Arrow;
  readonly to: number;
}

interface Crawl {
  /** The controls that a remote has to reach from where it is, by name. */
  readonly controls: string[];
  readonly unreached: string[];
  /** Keys after which nothing had the focus, each with the control that had it before. */
  readonly lost: string[];
}

interface Options {
  /** The key that opens the layer again which an arrow closes, as Right does the menu. */
  readonly reopenBy?: string;
}

declare global {
  interface Window {
    /** The controls of the crawl that is under way. */
    crawled: HTMLElement[];
  }
}

/**
 * Tries every arrow on every control that arrows have led to so far, until nothing new is found; then goes each way
 * that was found once more by real keys, as long as it leads to something new: the way into a list depends on where the
 * focus was in it last. Controls that can be seen and take the focus count: in the topmost menu
 * or dialog, else on the page; and of those, the ones on the level where the focus is.
 */
export async function crawl(page: Page, options: Options = {}): Promise<Crawl> {
  const { controls, start, steps } = await page.evaluate(explore, options);
  const reached = new Set([start]);
  const lost: string[] = [];
  let at: number | null = null;
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const { from, arrow, to } of steps) {
      if (!reached.has(from) || reached.has(to)) continue;
      if (at !== from) await page.evaluate((place) => window.crawled[place]?.focus({ preventScroll: true }), from);
      await page.keyboard.press(arrow);
      const focus = await page.evaluate(() => ({
        at: window.crawled.indexOf(document.activeElement as HTMLElement),
        isLost: document.activeElement === document.body,
      }));
      at = focus.at;
      reached.add(at);
      if (focus.isLost) lost.push(`${arrow} on ${controls[from]}`);
    }
  }
  return { controls, lost, unreached: controls.filter((_, at) => !reached.has(at)) };
}

/** Runs in the page. */
async function explore({ reopenBy }: Options): Promise<{ controls: string[]; start: number; steps: Step[] }> {
  const arrows: readonly Arrow[] = ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'];
  /** What `indexOf` says when the focus is on no control of the crawl. */
  const elsewhere = -1;
  const steps: Step[] = [];
  const controls = collect();
  const start = whereFocusIs();
  const known = new Set([start]);
  const waiting = start === elsewhere ? [] : [start];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const arrow of arrows) {
      window.crawled[from]?.focus({ preventScroll: true });
      press(arrow);
      const to = whereFocusIs();
      if (to === from || to === elsewhere) await meetOtherLayer(arrow);
      if (to === elsewhere || to === from) continue;
      steps.push({ from, arrow, to });
      if (known.has(to)) continue;
      known.add(to);
      waiting.push(to);
    }
  }
  return { controls, start, steps };

  function press(key: string): void {
    (document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
  }

  /**
   * Left at the left edge opens the menu, which is crawled by itself. It has been open before, so that it is drawn at
   * once. Right closes it.
   */
  async function meetOtherLayer(arrow: Arrow): Promise<void> {
    if (arrow !== 'ArrowLeft' && arrow !== 'ArrowRight') return;
    await drawn();
    const menu = document.querySelector('nav[data-focus-wrap]');
    if (menu !== null && !window.crawled.some((control) => menu.contains(control))) {
      press('Escape');
      await until(() => document.querySelector('nav[data-focus-wrap]') === null);
    }
    if (reopenBy === undefined || window.crawled.some((control) => control.isConnected)) return;
    press(reopenBy);
    await until(() => document.querySelector('nav[data-focus-wrap] :focus') !== null);
    collect();
  }

  async function until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await drawn();
  }

  function drawn(): Promise<void> {
    return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
  }

  function whereFocusIs(): number {
    return window.crawled.indexOf(document.activeElement as HTMLElement);
  }

  function collect(): string[] {
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
    window.crawled = [...scope.querySelectorAll<HTMLElement>('*')].filter(
      (one) => takesFocus(one) && isSeen(one) && levelOf(one) === level,
    );
    return window.crawled.map((one) => one.getAttribute('aria-label') ?? one.innerText);
  }
}
