import { expect, test, vi } from 'vitest';
import script from '../../../public/too-old.js?raw';

const code = script.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

interface Start {
  readonly root: { started: string | null };
  readonly words: { id: string; textContent: string; parentNode: { className: string; appendChild: ReturnType<typeof vi.fn> } };
  readonly removePictures: ReturnType<typeof vi.fn>;
  readonly window: EventTarget & { CSS: unknown; askedAhead: { videos: unknown } };
}

/** A page that is loading, with first pictures over its words. */
function start(): Start {
  const root = { started: null as string | null };
  const words = { id: 'start-text', textContent: 'Loading...', parentNode: { className: 'start', appendChild: vi.fn() } };
  const removePictures = vi.fn();
  const document = {
    documentElement: { getAttribute: () => root.started },
    getElementById: (id: string) => (id === words.id ? words : null),
    querySelector: () => ({ parentNode: { removeChild: removePictures } }),
    createElement: () => ({ noModule: false }),
  };
  const CSS = { supports: () => true };
  const window = Object.assign(new EventTarget(), { CSS, askedAhead: { videos: {} } });
  new Function('window', 'document', 'CSS', script)(window, document, CSS);
  return { root, words, removePictures, window };
}

test('it is written for browsers that know nothing of the last ten years', () => {
  expect(code).not.toMatch(/=>|`|\?\.|\?\?|\.\.\.(?!')|\b(let|const|class|async)\b/);
});

test('an app that has not begun when the page is loaded is said to have failed, and no picture covers the words', () => {
  const { words, removePictures, window } = start();
  window.dispatchEvent(new Event('load'));
  expect(words.textContent).toBe('Fourfold could not start.');
  expect(words.parentNode.appendChild).toHaveBeenCalledWith(expect.objectContaining({ textContent: 'Reload' }));
  expect(removePictures).toHaveBeenCalledTimes(1);
  expect(window.askedAhead.videos).toBeNull();
});

test('an app that has begun is left alone, until a file that it needs cannot be had', () => {
  const { root, words, removePictures, window } = start();
  root.started = '';
  window.dispatchEvent(new Event('load'));
  expect([words.textContent, removePictures.mock.calls.length]).toEqual(['Loading...', 0]);
  window.dispatchEvent(new Event('unhandledrejection'));
  expect([words.textContent, removePictures.mock.calls.length]).toEqual(['Fourfold could not start.', 1]);
});

test('once the app is drawn, nothing of it is taken away', () => {
  const { words, removePictures, window } = start();
  words.id = '';
  window.dispatchEvent(new Event('unhandledrejection'));
  expect([words.textContent, removePictures.mock.calls.length]).toEqual(['Loading...', 0]);
});
