import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchKeysLater } from '#app/platform/input/late-keys.ts';

let stop = () => {};
const handled: string[] = [];
const handle = ({ key }: KeyboardEvent) => void handled.push(key);

const code = {
  watch() {
    window.addEventListener('keydown', handle);
    return () => window.removeEventListener('keydown', handle);
  },
  handle,
};

const press = (...keys: string[]) => {
  for (const key of keys) window.dispatchEvent(Object.assign(new Event('keydown'), { key }));
};

const settle = () => new Promise((resolve) => setTimeout(resolve));

/** A file that arrives when the test says so. */
function openFile() {
  let arrive = () => {};
  const loading = new Promise<typeof code>((resolve) => {
    arrive = () => resolve(code);
  });
  return { loading, arrive };
}

beforeEach(() => vi.stubGlobal('window', new EventTarget()));

afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  handled.length = 0;
});

test('keys that are pressed before their code is there are handled once, in their order, and later ones at once', async () => {
  const file = openFile();
  stop = watchKeysLater(
    () => file.loading,
    () => {},
  );

  press('ArrowRight', 'ArrowDown', 'Enter');
  await settle();
  expect(handled).toEqual([]);

  file.arrive();
  await settle();
  expect(handled).toEqual(['ArrowRight', 'ArrowDown', 'Enter']);

  press('ArrowLeft');
  expect(handled).toEqual(['ArrowRight', 'ArrowDown', 'Enter', 'ArrowLeft']);
});

test('the code is loaded once: when it is due, or with the first key', async () => {
  let loads = 0;
  let start = () => {};
  stop = watchKeysLater(
    async () => {
      loads += 1;
      return code;
    },
    (begin) => {
      start = begin;
    },
  );
  expect(loads).toBe(0);

  press('q');
  start();
  await settle();
  start();
  press('w');

  expect(loads).toBe(1);
  expect(handled).toEqual(['q', 'w']);
});

test('after a failed attempt the next key loads the code again, and what was pressed before is not made up for', async () => {
  let loads = 0;
  stop = watchKeysLater(
    async () => {
      loads += 1;
      if (loads === 1) throw new TypeError('Failed to fetch');
      return code;
    },
    (start) => start(),
  );
  press('q');
  await settle();
  press('w');
  await settle();

  expect(loads).toBe(2);
  expect(handled).toEqual(['w']);
});

test('code that arrives after the stop handles nothing', async () => {
  const file = openFile();
  stop = watchKeysLater(
    () => file.loading,
    (start) => start(),
  );
  press('q');
  stop();
  file.arrive();
  await settle();
  press('w');

  expect(handled).toEqual([]);
});
