import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import script from '../../../public/too-old.js?raw';

const code = script.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

interface Start {
  readonly root: { started: string | null };
  readonly words: {
    id: string;
    textContent: string;
    parentNode: { className: string; appendChild: ReturnType<typeof vi.fn> };
  };
  readonly removeGrid: ReturnType<typeof vi.fn>;
  readonly window: EventTarget & {
    CSS: unknown;
    pageStart: { handOver: ReturnType<typeof vi.fn> };
    location: { href: string };
    fetch: ReturnType<typeof vi.fn>;
  };
  readonly reload: { href: string; onclick(event: { preventDefault(): void }): void };
}

/** A page that is loading, with first frames over its words. @param browser what more its window has */
function start(browser: object = {}): Start {
  const root = { started: null as string | null };
  const words = {
    id: 'start-text',
    textContent: 'Loading...',
    parentNode: { className: 'start', appendChild: vi.fn() },
  };
  const removeGrid = vi.fn();
  const document = {
    documentElement: { getAttribute: () => root.started },
    getElementById: (id: string) => (id === words.id ? words : null),
    querySelector: () => ({ parentNode: { removeChild: removeGrid } }),
    querySelectorAll: () => [{ src: '/assets/index.js' }, { href: '/assets/index.css' }],
    createElement: () => Object.assign(reload, { noModule: false }),
  };
  const reload = {} as Start['reload'];
  const CSS = { supports: () => true };
  const window = Object.assign(new EventTarget(), {
    CSS,
    pageStart: { handOver: vi.fn() },
    location: { href: '/?view=feed' },
    navigator: {},
    fetch: vi.fn(async () => null),
    setTimeout,
    ...browser,
  });
  new Function('window', 'document', 'CSS', script)(window, document, CSS);
  return { root, words, removeGrid, window, reload };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('it is written for browsers that know nothing of the last ten years', () => {
  expect(code).not.toMatch(/=>|`|\?\.|\?\?|\.\.\.(?!')|\b(let|const|class|async)\b/);
});

test('an app that has not begun when the page is loaded is said to have failed, and no video covers the words', () => {
  const { words, removeGrid, window } = start();
  window.dispatchEvent(new Event('load'));
  expect(words.textContent).toBe('Fourfold could not start.');
  expect(words.parentNode.appendChild).toHaveBeenCalledWith(expect.objectContaining({ textContent: 'Reload' }));
  expect(removeGrid).toHaveBeenCalledTimes(1);
  expect(window.pageStart.handOver).toHaveBeenCalledTimes(1);
});

test('an app that has begun is left alone, until a file that it needs cannot be had', () => {
  const { root, words, removeGrid, window } = start();
  root.started = '';
  window.dispatchEvent(new Event('load'));
  expect([words.textContent, removeGrid.mock.calls.length]).toEqual(['Loading...', 0]);
  window.dispatchEvent(new Event('unhandledrejection'));
  expect([words.textContent, removeGrid.mock.calls.length]).toEqual(['Fourfold could not start.', 1]);
});

test('once the app is drawn, nothing of it is taken away', () => {
  const { words, removeGrid, window } = start();
  words.id = '';
  window.dispatchEvent(new Event('unhandledrejection'));
  expect([words.textContent, removeGrid.mock.calls.length]).toEqual(['Loading...', 0]);
});

test('an app whose files never come is said to have failed after 15 s', () => {
  const { root, words } = start();
  root.started = '';
  vi.advanceTimersByTime(limits.callTimeoutSeconds * 1000 - 1);
  expect(words.textContent).toBe('Loading...');
  vi.advanceTimersByTime(1);
  expect(words.textContent).toBe('Fourfold could not start.');
});

test("Reload forgets the app's own caches and its worker, fetches its files anew, and opens it again", async () => {
  const deleted: string[] = [];
  const unregister = vi.fn(async () => true);
  const { reload, window } = start({
    caches: {
      keys: async () => ['workbox-precache-v2-http://localhost/', 'saved-videos'],
      delete: async (name: string) => deleted.push(name),
    },
    navigator: { serviceWorker: { getRegistration: async () => ({ unregister }) } },
  });
  window.dispatchEvent(new Event('load'));
  const preventDefault = vi.fn();
  reload.onclick({ preventDefault });
  expect([reload.href, preventDefault.mock.calls.length]).toEqual(['/', 1]);
  await vi.advanceTimersByTimeAsync(0);
  expect([deleted, unregister.mock.calls.length]).toEqual([['workbox-precache-v2-http://localhost/'], 1]);
  expect(window.fetch.mock.calls).toEqual([
    ['/assets/index.js', { cache: 'reload' }],
    ['/assets/index.css', { cache: 'reload' }],
  ]);
  expect(window.location.href).toBe('/');
});

test.each([
  ['at a plain address, which has no worker and no caches', {}, 0],
  ['where nobody answers', { fetch: () => new Promise(() => {}) }, 5_000],
  [
    'where the caches are closed to the site',
    { caches: { keys: () => Promise.reject(new DOMException('Denied', 'SecurityError')) } },
    0,
  ],
])('Reload opens the app again %s', async (_, browser, waitedMs) => {
  const { reload, window } = start(browser);
  window.dispatchEvent(new Event('load'));
  reload.onclick({ preventDefault: () => {} });
  await vi.advanceTimersByTimeAsync(waitedMs);
  expect(window.location.href).toBe('/');
});
