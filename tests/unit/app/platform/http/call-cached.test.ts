import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { callCached } from '#app/platform/http/call-cached.ts';
import { reached } from '#app/platform/http/send.ts';
import { setViewerMark, viewerMark } from '#app/platform/http/token-store.ts';
import { listTags } from '#contract/endpoints.ts';
import { claimMark, filterCache } from '#device/filter-cache.ts';
import { fakeIndexedDb } from '../../../device/fake-indexed-db.ts';
import { fakeStorage } from '../fake-storage.ts';

const tags = { tags: [], total: 0, page: 1, limit: 100, total_pages: 0 };
const json = (headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(tags), { headers: { 'Content-Type': 'application/json', ...headers } });
const asked = vi.fn<(address: string, options: RequestInit) => Promise<Response>>();
const outcomes: string[] = [];
reached.listen((outcome) => void outcomes.push(outcome));

beforeEach(async () => {
  fakeIndexedDb();
  vi.stubGlobal('window', { localStorage: fakeStorage() });
  vi.stubGlobal('fetch', asked);
  outcomes.length = 0;
  setViewerMark(await claimMark(null));
});

afterEach(() => {
  setViewerMark(null);
  asked.mockReset();
  vi.unstubAllGlobals();
});

const list = () => callCached(listTags, { limit: 100 });
/** The answer is kept after it was given. */
const isStored = () => vi.waitUntil(() => filterCache.read(viewerMark() ?? '', '/api/tags?limit=100'), 60_000);
const headersSent = () => asked.mock.lastCall?.[1].headers as Record<string, string>;
/** A page with this worker. */
const controlledBy = (controller: object | null) =>
  vi.stubGlobal('navigator', { ...navigator, serviceWorker: { controller } });

test('a list comes from the server, with no age', async () => {
  asked.mockResolvedValueOnce(json());
  expect(await list()).toEqual({ reply: tags, cachedAt: null });
  expect([asked.mock.lastCall?.[0], outcomes]).toEqual(['/api/tags?limit=100', ['answered']]);
});

test.each([
  ['where there are no workers', () => {}],
  ['while no worker controls the page yet', () => controlledBy(null)],
])('%s the page itself answers for an absent server, and knows that it is absent', async (_, prepare) => {
  prepare();
  asked.mockResolvedValueOnce(json());
  await list();
  await isStored();
  asked.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  expect(await list()).toEqual({ reply: tags, cachedAt: expect.any(Number) });
  expect(outcomes).toEqual(['answered', 'silent']);
});

test('another person on the same device gets none of the lists of the first one, in any tab', async () => {
  asked.mockResolvedValueOnce(json());
  await list();
  await isStored();
  const [first, second] = [viewerMark(), await claimMark('bob')];
  for (const mark of [second, first]) {
    setViewerMark(mark);
    asked.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    await expect(list()).rejects.toThrow('Waiting for network');
  }
});

test("under a worker the page says whose list it is, and reads the age of the worker's answer", async () => {
  controlledBy({});
  asked.mockResolvedValueOnce(json({ 'X-Cached-At': '1767312000000' }));
  expect((await list()).cachedAt).toBe(1_767_312_000_000);
  expect(headersSent()['X-Viewer-Mark']).toMatch(/^[0-9a-f]{32}$/);
});

test('before it is known who is here, the server alone answers', async () => {
  asked.mockResolvedValueOnce(json());
  await list();
  await isStored();
  setViewerMark(null);
  asked.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await expect(list()).rejects.toThrow('Waiting for network');
  expect(headersSent()).not.toHaveProperty('X-Viewer-Mark');
});
