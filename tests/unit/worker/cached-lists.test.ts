import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeviceDatabase, FactStore } from '#device/device-database.ts';
import type { CacheStores } from '#device/filter-cache.ts';
import { claimMark, FilterCache } from '#device/filter-cache.ts';
import { answerListCall, isListCall } from '../../../sw/cached-lists.ts';
import { clockParts, fakeIndexedDb } from '../device/fake-indexed-db.ts';

const origin = 'http://localhost';
const list = `${origin}/api/videos/by-tags?tag_ids=t1&limit=100`;
const asked = vi.fn<(request: Request, options: RequestInit) => Promise<Response>>();

let database: DeviceDatabase;
let stores: CacheStores;
let mark: string;
let lifetime: Promise<unknown>[];

beforeEach(async () => {
  fakeIndexedDb();
  vi.stubGlobal('fetch', asked);
  database = new DeviceDatabase();
  stores = { facts: new FactStore(database), filterCache: new FilterCache(database) };
  mark = await claimMark('ana', null, stores);
  lifetime = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  asked.mockReset();
});

const json = (body: string) => new Response(body, { headers: { 'Content-Type': 'application/json' } });
const request = (options: RequestInit = {}) =>
  new Request(list, { ...options, headers: { 'X-Viewer-Mark': mark, Authorization: 'Bearer very-secret' } });
const answer = (own = request()) =>
  answerListCall(own, { waitUntil: (work) => void lifetime.push(Promise.resolve(work)) }, stores);

async function storeAnswer(body: string): Promise<void> {
  asked.mockResolvedValueOnce(json(body));
  await answer();
  await Promise.all(lifetime);
}

test.each([
  ['a list with its viewer', new Request(list, { headers: { 'X-Viewer-Mark': 'm' } }), true],
  ['a list of nobody', new Request(list), false],
  ['a new channel', new Request(`${origin}/api/tags`, { method: 'POST', headers: { 'X-Viewer-Mark': 'm' } }), false],
  ['the profile', new Request(`${origin}/users/profile`, { headers: { 'X-Viewer-Mark': 'm' } }), false],
])('%s is for the worker: %#', (_, own, expected) => {
  expect(isListCall(own, new URL(own.url))).toBe(expected);
});

test('a request goes to the server as the page made it', async () => {
  asked.mockResolvedValueOnce(json('{}'));
  const own = request();
  await answer(own);
  expect(asked.mock.calls[0]?.[0]).toBe(own);
});

test('the worker lives until the answer is stored, and gives it when the server is away', async () => {
  await storeAnswer('{"videos":[]}');
  asked.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const stored = await answer();
  expect(await stored.text()).toBe('{"videos":[]}');
  expect(Number(stored.headers.get('X-Cached-At'))).toBeGreaterThan(0);
});

test('nothing of the token is stored', async () => {
  await storeAnswer('{"videos":[]}');
  const contents = await database.run(
    async (connection) => {
      const stores = Array.from(connection.objectStoreNames, (name) => connection.getAll(name));
      return JSON.stringify(await Promise.all(stores));
    },
    () => '',
  );
  expect(contents).toContain('videos');
  expect(contents).not.toMatch(/secret|Bearer/);
});

describe('another person on the same device', () => {
  const away = async (own: string) => {
    asked.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    return answer(new Request(list, { headers: { 'X-Viewer-Mark': own } }));
  };

  test('gets none of the lists of the first one, by either mark; neither does the first one after coming back', async () => {
    await storeAnswer('{"videos":["of Ana"]}');
    const bob = await claimMark('bob', null, stores);
    await expect(away(bob)).rejects.toThrow('Failed to fetch');
    await expect(away(mark)).rejects.toThrow('Failed to fetch');
    await expect(away(await claimMark('ana', null, stores))).rejects.toThrow('Failed to fetch');
  });

  test('gets none of them either where the cache could not be cleared', async () => {
    await storeAnswer('{"videos":["of Ana"]}');
    const stuck = { facts: stores.facts, filterCache: { clear: async () => {} } as FilterCache };
    const bob = await claimMark('bob', null, stuck);
    expect(await stores.filterCache.read(mark, list.slice(origin.length))).not.toBeNull();
    await expect(away(bob)).rejects.toThrow('Failed to fetch');
    await expect(away(mark)).rejects.toThrow('Failed to fetch');
  });
});

describe('a server that never answers', () => {
  const outcomeOf = (reply: Promise<Response>) =>
    reply.then(
      () => 'answered',
      (error: Error) => error.name,
    );

  beforeEach(() => {
    asked.mockImplementation(
      (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError'))),
        ),
    );
  });

  test('holds a connection no longer than a call may take', async () => {
    vi.useFakeTimers({ toFake: [...clockParts] });
    const outcome = outcomeOf(answer());
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await outcome).toBe('AbortError');
  });

  test('is asked no longer when the page gives up', async () => {
    const page = new AbortController();
    const outcome = outcomeOf(answer(request({ signal: page.signal })));
    page.abort();
    expect(await outcome).toBe('AbortError');
  });
});
