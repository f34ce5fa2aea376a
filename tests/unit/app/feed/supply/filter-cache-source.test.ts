import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nextVideo } from '#app/features/feed/supply/next-video.ts';
import { setViewerMark } from '#app/platform/http/token-store.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { facts } from '#device/device-database.ts';
import { claimMark, filterCache } from '#device/filter-cache.ts';
import { clockParts, fakeIndexedDb, runDatabase } from '../../../device/fake-indexed-db.ts';
import { person } from '../../state/people.ts';

const expires = Math.floor(Date.now() / 1000) + 3_600;
const video = (id: string, ...tagIds: string[]) => ({
  id,
  filename: `${id}.mp4`,
  tags: tagIds.map((tag) => ({ id: tag })),
  url: `/api/video/stream?path=${id}.mp4&expires=${expires}`,
  poster_url: null,
  available: true,
  duration: 60,
});
const listOf = (...videos: object[]) => JSON.stringify({ videos, total: videos.length });
const picked = {
  available: true,
  message: null,
  id: 'p',
  filename: 'p.mp4',
  url: '/p',
  duration: 1,
  tags: [],
  matching: 3,
};

type Answer = { status?: number; body: string } | 'away';

let answers: Record<string, Answer>;
let asked: string[];
/** Files of which the browser has the first bytes. */
let started: string[];
let mark: string;

beforeEach(async () => {
  fakeIndexedDb();
  vi.stubGlobal('window', {});
  vi.stubGlobal('navigator', {});
  asked = [];
  started = ['1', '2'];
  answers = {};
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    const [, file = ''] = /stream\?path=(\w+)/.exec(address) ?? [];
    if (started.includes(file)) return new Response('bytes', { status: 206 });
    const answer = answers[address.split('?')[0] as string] ?? 'away';
    if (answer === 'away') throw new TypeError('Failed to fetch');
    const headers = { 'Content-Type': 'application/json' };
    return new Response(answer.body, { status: answer.status ?? 200, headers });
  });
  mark = await claimMark('ana');
  await filterCache.clear();
  setViewerMark(mark);
});

afterEach(() => {
  setViewerMark(null);
  resetSession();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const filterOf = (...tagIds: string[]): TagFilter => ({ tagIds, mode: 'OR' });
const listAddress = (...tagIds: string[]) => `/api/videos/by-tags?tag_ids=${tagIds.join(',')}&filter_mode=OR&limit=100`;
const asksFor = (path: string) => asked.filter((address) => address.startsWith(path));

async function next(filter: TagFilter, excluded: string[] = []) {
  const claimed: string[] = [];
  const result = await nextVideo({
    quadrant: 'top-left',
    filter,
    demand: { width: 720 },
    excluded: () => excluded,
    claim: ({ id }) => claimed.push(id) > 0,
    signal: new AbortController().signal,
  });
  return result.kind === 'claimed' ? claimed[0] : result;
}

const noNetwork = { kind: 'failed', failure: 'no-network' };

describe('while the server is away', () => {
  test("a filtered quadrant draws from its filter's list", async () => {
    await filterCache.store(mark, listAddress('a'), listOf(video('1', 'a'), video('2', 'a')));
    expect([await next(filterOf('a'), ['1']), await next(filterOf('a'), ['2'])]).toEqual(['2', '1']);
  });

  test('of which it takes one that can start', async () => {
    started = ['2'];
    await filterCache.store(mark, listAddress('a'), listOf(video('1', 'a'), video('2', 'a')));
    expect([await next(filterOf('a')), await next(filterOf('a'), ['2'])]).toEqual(['2', '2']);
  });

  test('a quadrant waits for the network where no video can start, and asks for three of them', async () => {
    started = [];
    const many = ['1', '2', '3', '4', '5'].map((id) => video(id, 'a'));
    await filterCache.store(mark, listAddress('a'), listOf(...many));
    expect(await next(filterOf('a'))).toEqual(noNetwork);
    expect(new Set(asksFor('/api/video/stream')).size).toBe(3);
  });

  test('a video that this device has shown is shown once more, where of those that are drawn none can start', async () => {
    started = ['40'];
    await facts.update('shown-videos', () => ({ userId: null, ids: ['40'] }));
    const many = Array.from({ length: 40 }, (_, index) => video(String(40 - index), 'a'));
    await filterCache.store(mark, listAddress('a'), listOf(...many));
    expect(await next(filterOf('a'), ['40'])).toBe('40');
  });

  test('or from another list that has videos for it', async () => {
    await filterCache.store(mark, listAddress('a', 'b'), listOf(video('1', 'a'), video('2', 'b')));
    expect(await next(filterOf('b'))).toBe('2');
  });

  test('a blocked channel is drawn from no list', async () => {
    Object.assign(session, { phase: 'known', user: person('basic', { id: 'ana' }) });
    (session.user as { settings: { blocked_tag_ids: string[] } }).settings.blocked_tag_ids = ['b'];
    await filterCache.store(mark, listAddress('a'), listOf(video('1', 'a', 'b')));
    expect(await next(filterOf('a'))).toEqual(noNetwork);
  });

  test.each([
    ['nothing is cached', async () => {}],
    ['the list is of a viewer before', () => filterCache.store('other', listAddress('a'), listOf(video('1', 'a')))],
    ['the list is no list', () => filterCache.store(mark, listAddress('a'), '<!doctype html>')],
    [
      'it is not known who is here',
      async () => {
        await filterCache.store(mark, listAddress('a'), listOf(video('1', 'a')));
        setViewerMark(null);
      },
    ],
  ])('a quadrant waits for the network where %s', async (_, prepare) => {
    await prepare();
    expect(await next(filterOf('a'))).toEqual(noNetwork);
  });

  test('a quadrant without a filter waits for the network, whatever is cached', async () => {
    await filterCache.store(mark, listAddress(''), listOf(video('1', 'a')));
    expect(await next(filterOf())).toEqual(noNetwork);
  });
});

test('a server that says that nothing matches is believed', async () => {
  await filterCache.store(mark, listAddress('a'), listOf(video('1', 'a')));
  const body = '{"error":"no_videos_available","message":"There are no videos"}';
  answers['/api/video/top-left'] = { status: 404, body };
  expect(await next(filterOf('a'))).toEqual({ kind: 'failed', failure: 'no-videos' });
});

test('a pick names its filter, and a quadrant without one names none', async () => {
  answers['/api/video/top-left'] = { body: JSON.stringify(picked) };
  await next({ tagIds: ['a', 'b'], mode: 'AND' });
  await next(filterOf());
  const [filtered, free] = asksFor('/api/video/top-left');
  expect(filtered).toContain('tag_ids=a%2Cb&filter_mode=AND');
  expect(free).not.toMatch(/tag_ids|filter_mode/);
});

test("a filtered quadrant has its filter's list cached while the server answers, once in 5 minutes", async () => {
  answers['/api/video/top-left'] = { body: JSON.stringify(picked) };
  answers['/api/videos/by-tags'] = { body: listOf(video('1', 'c')) };
  vi.useFakeTimers({ now: Date.now(), toFake: [...clockParts] });
  expect(await next(filterOf('c'))).toBe('p');
  expect(await next(filterOf('c'))).toBe('p');
  expect(asksFor('/api/videos/by-tags'), 'before the first frames').toEqual([]);
  await vi.advanceTimersByTimeAsync(4_000);
  await runDatabase();
  expect(asksFor('/api/videos/by-tags')).toEqual([listAddress('c')]);
  answers = {};
  expect(await next(filterOf('c'))).toBe('1');
});

describe('of a list that was cached', () => {
  const five = ['11', '12', '13', '14', '15'];
  const streamed = () => asksFor('/api/video/stream').map((address) => /path=(\w+)/.exec(address)?.[1]);

  /** The list is asked for and, where `answer` says so, the first bytes of its videos come. */
  async function cacheListOf(tag: string, ids: readonly string[]): Promise<void> {
    answers['/api/video/top-left'] = { body: JSON.stringify(picked) };
    answers['/api/videos/by-tags'] = { body: listOf(...ids.map((id) => video(id, tag))) };
    vi.useFakeTimers({ now: Date.now(), toFake: [...clockParts] });
    await next(filterOf(tag));
    await vi.advanceTimersByTimeAsync(4_000);
    await runDatabase();
  }

  test('the first bytes of the first three videos are fetched, one after another', async () => {
    started = five;
    let running = 0;
    const most: number[] = [];
    const answer = fetch as unknown as (address: string, init?: RequestInit) => Promise<Response>;
    vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
      if (!address.startsWith('/api/video/stream')) return answer(address, init);
      expect(init?.headers).toEqual({ range: 'bytes=0-262143' });
      running += 1;
      most.push(running);
      const response = await answer(address, init);
      running -= 1;
      return response;
    });
    await cacheListOf('p1', ['11', '12', '13', '14', '15']);
    expect([streamed(), Math.max(...most)]).toEqual([['11', '12', '13'], 1]);
  });

  test('one that does not come is given up after five seconds, for the next', async () => {
    started = five;
    const answer = fetch as unknown as (address: string) => Promise<Response>;
    const hung: string[] = [];
    vi.stubGlobal('fetch', (address: string, { signal }: RequestInit = {}) => {
      if (!address.includes('path=21')) return answer(address);
      hung.push(address);
      return new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
      );
    });
    await cacheListOf('p2', ['21', '22', '23']);
    expect([hung.length, streamed()]).toEqual([1, []]);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(streamed()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await runDatabase();
    expect(streamed()).toEqual(['22', '23']);
  });

  test('nothing is fetched for a viewer who counts bytes', async () => {
    started = five;
    vi.stubGlobal('navigator', { connection: { saveData: true } });
    await cacheListOf('p3', ['31', '32', '33']);
    expect(streamed()).toEqual([]);
  });

  test('a preloaded video is shown while the server is away, where of those that are drawn none can start', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `4${index}`);
    started = ['40'];
    await cacheListOf('p4', many);
    answers = {};
    vi.spyOn(Math, 'random').mockReturnValue(0.99);
    expect(await next(filterOf('p4'))).toBe('40');
  });
});
