import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from '@playwright/test';

const patienceMs = 120_000;
const arrows = ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'] as const;

interface Crawl {
  /** The controls that a remote has to reach from where it is, by name. */
  readonly controls: string[];
  readonly unreached: string[];
  /** Keys after which nothing had the focus, each with the control that had it before. */
  readonly lost: string[];
}

/** A page in some engine that takes keys by their names. */
interface PageWithKeys {
  evaluate<Input, Output>(work: (input: Input) => Output | Promise<Output>, input: Input): Promise<Output>;
  press(key: string): Promise<void>;
}

interface Options {
  /** Stops once everything is reached, in place of trying every arrow everywhere. */
  readonly isBrief?: boolean;
  /** The key that opens the layer again which an arrow closes, as Right does the menu. */
  readonly reopenBy?: string;
}

/** What `indexOf` says when the focus is on no control of the crawl. */
const elsewhere = -1;

/** What the page shows after a key. */
interface Moment {
  /** The control that has the focus. */
  readonly at: number;
  readonly isLost: boolean;
  /** How many pixels of a focused text are left in the direction of the arrow, which scrolls it. */
  readonly left: number | null;
  /** The menu stands over what is crawled. */
  readonly isMenuOver: boolean;
  /** Nothing of what is crawled is on the page any more. */
  readonly isGone: boolean;
}

declare global {
  interface Window {
    /** The controls of the crawl that is under way. */
    crawled: HTMLElement[];
  }
}

/**
 * Presses every arrow on every control that arrows have led to so far, until nothing new is found. Controls that can
 * be seen and take the focus count: in the topmost menu or dialog, else on the page; and of those, the ones on the
 * level where the focus is. From a control that has been tried in all directions the crawl goes on at another one that
 * it has reached.
 */
export async function crawlByKeys(page: PageWithKeys, { isBrief = false, reopenBy }: Options = {}): Promise<Crawl> {
  let controls = await page.evaluate(collect, false);
  const isDialog = await page.evaluate(() => document.querySelector('[aria-modal="true"]') !== null, null);
  const lost: string[] = [];
  let { at } = await page.evaluate(look, '');
  const untried = new Map<number, string[]>();
  const reach = (control: number) => {
    if (control !== elsewhere && !untried.has(control)) untried.set(control, [...arrows]);
  };
  reach(at);
  /** The presses that have left a text at its end. */
  const ends = new Set<string>();
  while (!isBrief || untried.size < controls.length) {
    const from = untried.get(at)?.length ? at : [...untried].find(([, left]) => left.length > 0)?.[0];
    if (from === undefined) break;
    if (from !== at) await page.evaluate(focusOn, from);
    const arrow = untried.get(from)?.shift() ?? '';
    const before = `${arrow} on ${controls[from]}`;
    await page.press(arrow);
    let moment = await page.evaluate(look, arrow);
    // What takes the place of a control that has gone is drawn a little later.
    if (moment.isLost) moment = await lookWhenDrawn(page, arrow);
    if (moment.isMenuOver) {
      // Left at the left edge of a view opens the menu, which is crawled by itself.
      if (isDialog) lost.push(`${before} opens the menu`);
      await page.press('Escape');
      await until('the menu to close', async () => !(await page.evaluate(look, arrow)).isMenuOver);
      moment = await page.evaluate(look, arrow);
    } else if (moment.isGone && reopenBy !== undefined) {
      await page.press(reopenBy);
      await until('the menu to open', () => page.evaluate(isMenuFocused, null));
      await page.evaluate(collect, false);
      moment = await page.evaluate(look, arrow);
    } else if (isDialog && moment.at === elsewhere && !moment.isLost) {
      // A control whose file came later.
      controls = await page.evaluate(collect, true);
      moment = await page.evaluate(look, arrow);
    }
    if (moment.isLost) lost.push(before);
    // A text takes the arrow until its end, and the one after that leads on.
    if (moment.at === from && moment.left !== null) {
      if (moment.left > 1 || !ends.has(before)) untried.get(from)?.unshift(arrow);
      if (moment.left <= 1) ends.add(before);
    }
    ({ at } = moment);
    reach(at);
  }
  // A row of a table that is read again and again may have gone before the crawl came to it.
  const gone = await page.evaluate(listGone, null);
  const isLeft = (control: number) => !untried.has(control) && !gone.includes(control);
  return { controls, lost, unreached: controls.filter((_, control) => isLeft(control)) };
}

async function lookWhenDrawn(page: PageWithKeys, arrow: string): Promise<Moment> {
  await page.evaluate(twoFrames, null);
  return page.evaluate(look, arrow);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`The crawl waited ${patienceMs} ms for ${what}.`);
    await delay(50);
  }
}

/** The same in a page of Playwright. */
export function crawl(page: Page, options?: Options): Promise<Crawl> {
  const byKeys: PageWithKeys = {
    evaluate: (work, input) => page.evaluate(work as never, input as never),
    press: (key) => page.keyboard.press(key),
  };
  return crawlByKeys(byKeys, options);
}

/* What follows runs in the page, in the syntax of the oldest engine: no optional chaining, no `??`. */

function focusOn(place: number): void {
  const control = window.crawled[place];
  if (control) control.focus({ preventScroll: true });
}

/** The places of the rows of tables that are on the page no more. */
function listGone(): number[] {
  const isGone = (control: HTMLElement) => control.tagName === 'TR' && !document.contains(control);
  return window.crawled.map((control, place) => (isGone(control) ? place : -1)).filter((place) => place >= 0);
}

function isMenuFocused(): boolean {
  return document.querySelectorAll('nav[data-focus-wrap] :focus').length === 1;
}

function twoFrames(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}

/**
 * @param isMore what is known already stays in its place
 * @returns the names of what it puts into `window.crawled`
 */
function collect(isMore: boolean): string[] {
  const known = isMore ? window.crawled : [];
  const layers = document.querySelectorAll<HTMLElement>('nav[data-focus-wrap], [aria-modal="true"]');
  const scope = layers[layers.length - 1] || document.body;
  const levelOf = (element: Element | null) => {
    const parent = element === null ? null : element.parentElement;
    return parent === null ? null : parent.closest('[data-focus-level]');
  };
  const level = levelOf(document.activeElement);
  // A video without controls has a tab index and takes no focus.
  const takesFocus = (element: HTMLElement) => element.tabIndex >= 0 && !element.matches(':disabled, video');
  const isSeen = (element: HTMLElement) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && getComputedStyle(element).visibility === 'visible';
  };
  const found = [...scope.querySelectorAll<HTMLElement>('*')].filter(
    (one) => takesFocus(one) && isSeen(one) && levelOf(one) === level,
  );
  window.crawled = [...known, ...found.filter((one) => !known.includes(one))];
  return window.crawled.map((one) => one.getAttribute('aria-label') || one.innerText);
}

function look(arrow: string): Moment {
  const focused = document.activeElement as HTMLElement;
  const menu = document.querySelector('nav[data-focus-wrap]');
  const { scrollTop, scrollHeight, clientHeight } = focused;
  const isText = /auto|scroll/.test(getComputedStyle(focused).overflowY);
  const isAlong = arrow === 'ArrowUp' || arrow === 'ArrowDown';
  const left = arrow === 'ArrowUp' ? scrollTop : scrollHeight - clientHeight - scrollTop;
  return {
    at: window.crawled.indexOf(focused),
    isLost: document.querySelectorAll(':focus').length !== 1 || focused === document.body,
    left: isText && isAlong ? left : null,
    isMenuOver: menu !== null && !window.crawled.some((control) => menu.contains(control)),
    isGone: !window.crawled.some((control) => control.isConnected),
  };
}
