import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CachedCall } from '#device/cached-call.ts';
import { answerWithCache, isCachedCall } from '#device/cached-call.ts';
import { DeviceDatabase, FactStore } from '#device/device-database.ts';
import { claimMark, FilterCache } from '#device/filter-cache.ts';
import { clockParts, fakeIndexedDb, runDatabase } from './fake-indexed-db.ts';

const now = Date.UTC(2026, 0, 2);
const address = '/api/tags?limit=100';
const minutes = 60_000;

let stores: { facts: FactStore; filterCache: FilterCache };
let mark: string;
let background: Promise<void>[];

beforeEach(async () => {
  vi.useFakeTimers({ now, toFake: [...clockParts] });
  fakeIndexedDb();
  const database = new DeviceDatabase();
  stores = { facts: new FactStore(database), filterCache: new FilterCache(database) };
  mark = await claimMark('ana', null, stores);
  background = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const json = (body: string, status = 200) =>
  new Response(body, { status, headers: { 'Content-Type': 'application/json; charset=utf-8' } });
const away = () => Promise.reject(new TypeError('Failed to fetch'));
const silent = () => new Promise<Response>(() => {});

const answer = (ask: () => Promise<Response>, parts: Partial<CachedCall> = {}) =>
  answerWithCache({ address, mark, ask, inBackground: (work) => void background.push(work), ...parts }, stores);

async function told(response: Promise<Response>): Promise<[body: string, cachedAt: string | null]> {
  const { headers } = await response;
  return [await (await response).text(), headers.get('X-Cached-At')];
}

/** The server answers now, and what it said is stored. */
async function storeAnswer(body: string): Promise<void> {
  await answer(async () => json(body));
  await Promise.all(background);
}

const fromCache = (body: string) => [body, String(now)];

test('the server answers as long as it does, even where an answer is stored', async () => {
  await storeAnswer('older');
  expect(await told(answer(async () => json('newer')))).toEqual(['newer', null]);
});

test.each([
  ['no network', away],
  ['a proxy without its server', async () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['a server without its database', async () => json('{"error":"database_unavailable"}', 503)],
  ['a portal', async () => new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } })],
])('with %s the stored answer comes, however old, with its time', async (_, ask) => {
  await storeAnswer('kept');
  vi.setSystemTime(now + 3 * 24 * 60 * minutes);
  expect(await told(answer(ask))).toEqual(fromCache('kept'));
});

test.each([401, 404, 429, 500])('a server that answers %i is heard', async (status) => {
  await storeAnswer('kept');
  expect((await answer(async () => json('{}', status))).status).toBe(status);
});

test('where nothing is stored a failure stays what it is', async () => {
  await expect(answer(away)).rejects.toThrow('Failed to fetch');
  expect((await answer(async () => json('{}', 503))).status).toBe(503);
});

describe('for a silent server', () => {
  /** Seconds until the call is answered. */
  async function waitedSeconds(): Promise<number> {
    let isAnswered = false;
    void answer(silent).then(() => {
      isAnswered = true;
    });
    for (let seconds = 0; ; seconds += 1) {
      await runDatabase();
      if (isAnswered || seconds === 20) return seconds;
      await vi.advanceTimersByTimeAsync(1_000);
    }
  }

  test.each([
    ['a fresh answer stands in after 2 s', 0, 2],
    ['an older one after 10 s', 6 * minutes, 10],
  ])('%s', async (_, age, expected) => {
    await storeAnswer('kept');
    vi.setSystemTime(now + age);
    expect(await waitedSeconds()).toBe(expected);
  });

  test('nothing does where nothing is stored', async () => {
    expect(await waitedSeconds()).toBe(20);
  });

  test('the late answer is stored for the next call', async () => {
    await storeAnswer('older');
    let reply = (_: Response) => {};
    const early = answer(
      () =>
        new Promise((resolve) => {
          reply = resolve;
        }),
    );
    await runDatabase();
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await told(early))[0]).toBe('older');
    reply(json('newer'));
    await runDatabase();
    await Promise.all(background);
    expect((await told(answer(away)))[0]).toBe('newer');
  });
});

test.each([
  ['a failure', () => json('{"error":"internal"}', 500)],
  ['what is no JSON', () => new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } })],
])('%s is not stored', async (_, reply) => {
  await answer(async () => reply());
  await Promise.all(background);
  await expect(answer(away)).rejects.toThrow();
});

describe("without the viewer's mark", () => {
  test('a call is neither stored nor answered here', async () => {
    await storeAnswer('kept');
    await answer(async () => json('newer'), { mark: null });
    await expect(answer(away, { mark: null })).rejects.toThrow();
    expect(await told(answer(away))).toEqual(fromCache('kept'));
  });

  test('neither is one with a mark of before', async () => {
    await storeAnswer('kept');
    await claimMark(null, null, stores);
    await storeAnswer('for nobody');
    await expect(answer(away)).rejects.toThrow();
    await claimMark('ana', null, stores);
    await expect(answer(away)).rejects.toThrow();
  });

  test('an answer that comes after the sign-out is not stored', async () => {
    const store = vi.spyOn(stores.filterCache, 'store');
    let reply = (_: Response) => {};
    const asked = answer(
      () =>
        new Promise((resolve) => {
          reply = resolve;
        }),
    );
    await claimMark(null, null, stores);
    reply(json('late'));
    await asked;
    await Promise.all(background);
    expect(store).not.toHaveBeenCalled();
  });
});

test.each([
  ['GET', '/api/tags', true],
  ['GET', '/api/videos/by-tags', true],
  ['POST', '/api/tags', false],
  ['GET', '/api/tags/3', false],
  ['GET', '/api/video/stream', false],
])('%s %s is cached: %s', (method, path, expected) => {
  expect(isCachedCall(method, path)).toBe(expected);
});
