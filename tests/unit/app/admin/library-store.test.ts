import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  clearCache,
  library,
  libraryActions,
  rescan,
  resetLibraryActions,
} from '#app/features/admin/library/library-store.ts';
import { hiddenRefusal, hiddenVideos, showAgain } from '#app/features/admin/library/video-lists.tsx';

const page = Object.assign(new EventTarget(), { hidden: false });
const scan = { is_running: false, progress: null, found: null, finished_at: null, duration_seconds: null };
const facts = { roots: [], scan, unplayable: 0, hidden: 0, cache_bytes: 0 };

let asked: string[];
/** By method and address; anything else is 404. */
let answers: Record<string, { status?: number; json?: unknown }>;
let closeAll: Array<() => void>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
  asked = [];
  answers = { 'GET /api/admin/library': { json: facts } };
  closeAll = [];
  vi.stubGlobal('fetch', async (address: string, { method = 'GET', body }: RequestInit) => {
    asked.push(`${method} ${address}${body ? ` ${body}` : ''}`);
    const { status = 200, json = null } = answers[`${method} ${address.split('?')[0]}`] ?? {
      status: 404,
      json: { error: 'not_found', message: 'It is not there.' },
    };
    return new Response(status === 204 ? null : JSON.stringify(json), { status });
  });
});

afterEach(() => {
  for (const close of closeAll) close();
  resetLibraryActions();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const countOf = (call: string) => asked.filter((one) => one.startsWith(call)).length;

async function openLibrary(): Promise<void> {
  closeAll.push(library.open());
  await vi.advanceTimersByTimeAsync(0);
}

test('the progress of a scan is asked for while it runs, and no longer', async () => {
  answers['GET /api/admin/library'] = { json: { ...facts, scan: { ...scan, is_running: true, progress: 10 } } };
  await openLibrary();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(countOf('GET /api/admin/library')).toBe(3);
  answers['GET /api/admin/library'] = { json: facts };
  await vi.advanceTimersByTimeAsync(60_000);
  expect(countOf('GET /api/admin/library')).toBe(4);
});

test('a scan that was asked for is watched until it has begun, and for no more than ten seconds', async () => {
  answers['POST /api/refresh'] = { status: 202, json: { success: true } };
  await openLibrary();
  await rescan();
  expect(countOf('POST /api/refresh')).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(countOf('GET /api/admin/library')).toBeLessThanOrEqual(8);
  expect(countOf('GET /api/admin/library')).toBeGreaterThan(4);
});

test('a scan that is refused says why', async () => {
  await openLibrary();
  await rescan();
  expect(libraryActions).toMatchObject({
    isStartingScan: false,
    scanNotice: { kind: 'danger', sentence: 'It is not there.' },
  });
});

test('clearing the cache says how much was freed', async () => {
  answers['POST /api/clear-cache'] = { json: { success: true, freed_bytes: 12_000_000 } };
  await openLibrary();
  await clearCache();
  expect(libraryActions.cacheNotice).toEqual({
    kind: 'ok',
    sentence: '12 MB freed. Posters come back by themselves.',
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(countOf('GET /api/admin/library')).toBe(2);
});

const hiddenVideo = (id: string) => ({
  id,
  root: 'Films',
  path: `${id}.mp4`,
  poster_url: null,
  hidden_at: '2026-11-22T12:00:00.000Z',
  hidden_by: 'ada',
});

async function openHidden(...ids: string[]): Promise<void> {
  answers['GET /api/admin/videos/hidden'] = {
    json: { videos: ids.map(hiddenVideo), total: ids.length, total_pages: 1, page: 1, limit: 20 },
  };
  closeAll.push(hiddenVideos.open());
  await vi.advanceTimersByTimeAsync(0);
}

const listed = () => hiddenVideos.state.items.map(({ id }) => id);

test('a hidden video that is shown again leaves the list', async () => {
  await openHidden('a', 'b');
  answers['DELETE /api/admin/videos/a/hidden'] = { status: 204 };
  answers['GET /api/admin/videos/hidden'] = {
    json: { videos: [hiddenVideo('b')], total: 1, total_pages: 1, page: 1, limit: 20 },
  };
  await showAgain('a');
  expect([listed(), hiddenRefusal.sentence]).toEqual([['b'], null]);
});

test('one that cannot be shown again comes back to the list, with the reason', async () => {
  await openHidden('a', 'b');
  await showAgain('a');
  expect([listed(), hiddenRefusal.sentence]).toEqual([['a', 'b'], 'It is not there.']);
});
