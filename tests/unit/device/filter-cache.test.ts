import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeviceDatabase } from '#device/device-database.ts';
import { FilterCache, isFresh } from '#device/filter-cache.ts';
import { clockParts, fakeIndexedDb } from './fake-indexed-db.ts';

const now = Date.UTC(2026, 0, 2);
const page = (number: number) => `/api/tags?page=${number}`;

let cache: FilterCache;

beforeEach(() => vi.useFakeTimers({ now, toFake: [...clockParts] }));

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function storePages(first: number, last: number): Promise<void> {
  for (let number = first; number <= last; number += 1) {
    vi.setSystemTime(Date.now() + 1);
    await cache.store('ana', page(number), `{"page":${number}}`);
  }
}

async function storedPages(last: number): Promise<number[]> {
  const pages = Array.from({ length: last }, (_, at) => at + 1);
  const answers = await Promise.all(pages.map((number) => cache.read('ana', page(number))));
  return pages.filter((_, at) => answers[at] !== null);
}

describe.each([
  ['in the database', fakeIndexedDb],
  ['in memory', () => vi.stubGlobal('indexedDB', undefined)],
])('%s', (_, prepare) => {
  beforeEach(() => {
    prepare();
    cache = new FilterCache(new DeviceDatabase());
  });

  test('an answer is read again with the time at which it was stored', async () => {
    await cache.store('ana', page(1), '{"tags":[]}');
    vi.setSystemTime(now + 60_000);
    expect(await cache.read('ana', page(1))).toMatchObject({ body: '{"tags":[]}', storedAt: now });
  });

  test('the newer answer of the same call replaces the older one', async () => {
    await cache.store('ana', page(1), 'older');
    await cache.store('ana', page(1), 'newer');
    expect((await cache.read('ana', page(1)))?.body).toBe('newer');
  });

  test('nobody reads what was answered to another viewer', async () => {
    await cache.store('ana', page(1), '{}');
    expect(await cache.read('bob', page(1))).toBeNull();
  });

  test('the fifty that were used last are there', async () => {
    await storePages(1, 50);
    vi.setSystemTime(Date.now() + 1);
    await cache.read('ana', page(1));
    await storePages(51, 52);
    expect(await storedPages(52)).toEqual([1, ...Array.from({ length: 49 }, (_, at) => at + 4)]);
  });

  test('answers from a start with a clock that was years ahead make room for later ones', async () => {
    vi.setSystemTime(now + 10 * 365 * 86_400_000);
    await storePages(1, 50);
    vi.setSystemTime(now);
    await storePages(51, 52);
    expect(await storedPages(52)).toEqual(Array.from({ length: 50 }, (_, at) => at + 3));
  });

  test('an answer that is too long is not stored', async () => {
    await cache.store('ana', page(1), 'x'.repeat(524_288));
    await cache.store('ana', page(2), 'x'.repeat(524_289));
    expect(await storedPages(2)).toEqual([1]);
  });

  test("a viewer's answers of one path can be forgotten, and nothing else is", async () => {
    await storePages(1, 2);
    await cache.store('ana', '/api/watched?page=1', '{}');
    await cache.store('ana', '/api/watched?page=2', '{}');
    await cache.store('bob', '/api/watched?page=1', '{}');
    await cache.forget('ana', '/api/watched');
    expect(await storedPages(2)).toEqual([1, 2]);
    expect([await cache.read('ana', '/api/watched?page=1'), await cache.read('ana', '/api/watched?page=2')]).toEqual([
      null,
      null,
    ]);
    expect(await cache.read('bob', '/api/watched?page=1')).not.toBeNull();
  });

  test('after it was cleared nothing is left', async () => {
    await storePages(1, 3);
    await cache.clear();
    expect(await storedPages(3)).toEqual([]);
  });
});

test('a disk that is full is an answer that is not there', async () => {
  const full = { run: () => Promise.reject(new DOMException('No room', 'QuotaExceededError')) };
  cache = new FilterCache(full as unknown as DeviceDatabase);
  await cache.store('ana', page(1), '{}');
  await cache.clear();
  expect(await cache.read('ana', page(1))).toBeNull();
});

test.each([
  ['just now', 0, true],
  ['almost 5 minutes ago', 299_999, true],
  ['5 minutes ago', 300_000, false],
  ['in the future', -1, false],
])('what was stored %s is fresh: %#', (_, age, expected) => {
  expect(isFresh({ storedAt: now - age }, now)).toBe(expected);
});
