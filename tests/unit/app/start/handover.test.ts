import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFeed, resetFeed } from '#app/features/feed/feed-store.ts';
import { reached } from '#app/platform/http/send.ts';
import { refreshKey, storeTokens } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { storeLearned } from '#app/playback/learned-device.ts';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { claimHandover, firstPicks } from '#app/start/first-picks.ts';
import { afterPageStart } from '#app/start/handover.ts';
import { PageStart } from '#app/start/page-start.ts';
import { applyFilter, clearFilters, noFilter } from '#app/state/quadrant-filters.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FakeLibrary, notYet } from '../feed/fake-library.ts';
import { summaryOf } from '../feed/quadrant-summary.ts';
import type { FakeNetwork, FakeReply } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { drawOf, FakeStartPage } from './fake-start-page.ts';

const four = drawOf('a', 'b', 'c', 'd');
/** Not in the page's draw: what a quadrant asks for by itself. */
const others = ['s', 't', 'u', 'v', 'w', 'x', 'y', 'z'];

let page: FakeStartPage;
let library: FakeLibrary;

beforeEach(() => {
  page = new FakeStartPage();
  mediaBudget.setCapacity('decoder', 8);
});

afterEach(() => {
  resetFeed();
  clearFilters();
  page.end();
});

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const comingIds = () => quadrants.map((quadrant) => summaryOf(quadrant).coming?.id);
const failures = () => quadrants.map((quadrant) => summaryOf(quadrant).failure);
/** Those that have asked by themselves, each once. */
const askedQuadrants = () => [...new Set(library.asks.map(({ quadrant }) => quadrant))];

/** The page's script runs, then the engine. @param reply to the page's own request, where it brings no picks */
async function start(draw: object | null | '', reply?: FakeReply | 'away' | 'silent'): Promise<FakeNetwork> {
  const network = fakeNetwork();
  if (reply) network.answer(reply);
  await page.open(draw);
  library = new FakeLibrary(...others);
  openFeed(claimHandover());
  await seconds(0);
  return network;
}

describe('picks that the page brings', () => {
  test('are the first of the four quadrants, in the elements that the page made, and nothing is requested', async () => {
    await start(four);
    expect(comingIds()).toEqual(['a', 'b', 'c', 'd']);
    expect(page.sources()).toEqual(['/stream/a', '/stream/b', '/stream/c', '/stream/d']);
    expect(library.asks).toEqual([]);
  });

  test('are each for the first request alone', async () => {
    await start(four);
    expect(quadrants.map((quadrant) => firstPicks.claim(quadrant, noFilter))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('with fewer than four videos are asked for again where another quadrant has the same', async () => {
    await start(drawOf('a', 'b', 'a', 'b'));
    expect(comingIds()).toEqual(['a', 'b', 's', 't']);
    expect(askedQuadrants()).toEqual(['bottom-left', 'bottom-right']);
  });

  test('which are not available yet are said to be, and asked for again after 5 s', async () => {
    await start({ ...four, 'top-left': notYet });
    expect(summaryOf('top-left').isDownloading).toBe(true);
    expect(library.asks).toEqual([]);
    await seconds(limits.retryNotAvailableSeconds);
    expect(askedQuadrants()).toEqual(['top-left']);
  });

  test('lacking for a quadrant are asked for by it', async () => {
    const { 'top-left': _, ...three } = four as Record<Quadrant, object>;
    await start('', { json: { ...three, 'top-left': null } });
    expect(askedQuadrants()).toEqual(['top-left']);
  });

  test('drawn for a known viewer only are asked for by each quadrant', async () => {
    await start(null);
    expect(askedQuadrants()).toEqual([...quadrants]);
    expect(comingIds()).toEqual(['s', 't', 'u', 'v']);
  });
});

describe('picks that the page requested', () => {
  test('answer the four, which request nothing', async () => {
    await start('', { json: four });
    expect(comingIds()).toEqual(['a', 'b', 'c', 'd']);
    expect(library.asks).toEqual([]);
  });

  test('and that came as 204 are asked for by each quadrant', async () => {
    await start('', { status: 204 });
    expect(askedQuadrants()).toEqual([...quadrants]);
  });

  test('refused once are refused to each, and asked for again after 5 s', async () => {
    await start('', { status: 404, json: { error: 'no_videos_available', message: 'There are no videos' } });
    expect(failures()).toEqual(['no-videos', 'no-videos', 'no-videos', 'no-videos']);
    expect(library.asks).toEqual([]);
    await seconds(limits.retryFailedLoadSeconds);
    expect(askedQuadrants()).toEqual([...quadrants]);
  });

  test('from behind the gate are not asked for again', async () => {
    await start('', { status: 401, json: { error: 'site_password_required', message: 'A password is needed' } });
    await seconds(60);
    expect(library.asks).toEqual([]);
  });

  test.each<[string, FakeReply | 'away']>([
    ["answered by a hotel's page", { text: '<h1>Welcome</h1>' }],
    ['without a network', 'away'],
  ])('%s fail as the call of each would', async (_, reply) => {
    const outcomes: string[] = [];
    const stop = reached.listen((outcome) => outcomes.push(outcome));
    await start('', reply);
    stop();
    expect(failures()).toEqual(['no-network', 'no-network', 'no-network', 'no-network']);
    expect(outcomes).toEqual(['away', 'away', 'away', 'away']);
  });

  test('late are waited for', async () => {
    fakeNetwork();
    let answer = (_response: Response) => {};
    vi.stubGlobal(
      'fetch',
      () =>
        new Promise<Response>((resolve) => {
          answer = resolve;
        }),
    );
    await page.open('');
    library = new FakeLibrary(...others);
    openFeed(claimHandover());
    await seconds(3);
    expect([...comingIds(), ...library.asks]).toEqual([undefined, undefined, undefined, undefined]);
    answer(new Response(JSON.stringify(four)));
    await seconds(0);
    expect(comingIds()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('silent for the limit of a pick count as no network, and their request ends', async () => {
    let signal: AbortSignal | null | undefined;
    vi.stubGlobal('fetch', (_: string, options: RequestInit) => {
      signal = options.signal;
      return new Promise(() => {});
    });
    await page.open('');
    library = new FakeLibrary(...others);
    const outcomes: string[] = [];
    const stop = reached.listen((outcome) => outcomes.push(outcome));
    openFeed(claimHandover());
    await seconds(limits.pickTimeoutSeconds - 0.1);
    expect(failures()).toEqual([null, null, null, null]);
    await seconds(0.1);
    stop();
    expect(failures()).toEqual(['no-network', 'no-network', 'no-network', 'no-network']);
    expect(outcomes).toEqual(['silent', 'silent', 'silent', 'silent']);
    expect(signal?.aborted).toBe(true);
  });

  test('silent are asked for by each quadrant when the network recovers', async () => {
    await start('', 'silent');
    await seconds(3);
    expect(library.asks).toEqual([]);
    recovered.emit();
    await seconds(0);
    expect(comingIds()).toEqual(['s', 't', 'u', 'v']);
  });
});

describe('the draw is left out', () => {
  test.each([
    ['where somebody is signed in', () => window.localStorage.setItem(refreshKey, 'of-ana')],
    [
      'where somebody has signed in meanwhile',
      () => storeTokens({ access_token: 'access-1', refresh_token: 'refresh-1' }),
    ],
  ])('%s: each quadrant asks by itself', async (_, prepare) => {
    prepare();
    await start(four);
    expect(askedQuadrants()).toEqual([...quadrants]);
    expect(comingIds()).toEqual(['s', 't', 'u', 'v']);
  });

  test('by nobody with too few decoders: the videos are leased from the start', async () => {
    storeLearned('decoders', 2);
    mediaBudget.setCapacity('decoder', 2);
    await start(four);
    expect(comingIds()).toEqual(['a', 'b', 'c', 'd']);
    expect(page.sources()).toEqual(['/stream/a', '/stream/b']);
    expect(library.asks).toEqual([]);
  });

  test('where the page has started nothing', async () => {
    library = new FakeLibrary(...others);
    openFeed(claimHandover());
    await seconds(0);
    expect(askedQuadrants()).toEqual([...quadrants]);
  });
});

describe('under saved filters', () => {
  const red = { tagIds: ['t1', 't2'], mode: 'AND' as const };

  test('the page has the four drawn, in its own elements, and nothing else is requested', async () => {
    applyFilter('top-left', red);
    const { fetch } = await start(drawOf('s', 't', 'u', 'v'), { json: four });
    expect(fetch.mock.calls.map(([address]) => address)).toEqual([
      '/api/video/first?top-left=t1%2Ct2&top-left-mode=AND',
    ]);
    expect(comingIds()).toEqual(['a', 'b', 'c', 'd']);
    expect(page.sources()).toEqual(['/stream/a', '/stream/b', '/stream/c', '/stream/d']);
    expect(library.asks).toEqual([]);
  });

  test('a quadrant that nothing was drawn for asks by itself', async () => {
    applyFilter('top-left', red);
    const { 'top-left': _, ...three } = four as Record<Quadrant, object>;
    await start(drawOf('s', 't', 'u', 'v'), { json: three });
    expect(askedQuadrants()).toEqual(['top-left']);
    expect(library.asks[0]).toMatchObject({ tags: 't1,t2', mode: 'AND' });
  });

  test('a draw for everybody that is still under way is not given to a filtered quadrant', async () => {
    page.bring(four);
    window.pageStart = new PageStart();
    applyFilter('top-left', red);
    const handover = claimHandover();
    library = new FakeLibrary(...others);
    openFeed(handover);
    await seconds(0);
    expect(askedQuadrants()).toEqual(['top-left']);
    expect(comingIds().slice(1)).toEqual(['b', 'c', 'd']);
  });

  test('a draw under a filter that was changed in between is not used', async () => {
    applyFilter('top-left', red);
    fakeNetwork().answer({ json: four });
    await page.open('');
    applyFilter('top-left', { ...red, mode: 'OR' });
    applyFilter('top-right', red);
    library = new FakeLibrary(...others);
    openFeed(claimHandover());
    await seconds(0);
    expect(askedQuadrants()).toEqual(['top-left', 'top-right']);
  });
});

describe('the engine runs', () => {
  test('at once where the page has started nothing', () => {
    const run = vi.fn();
    afterPageStart(600, run);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('after its limit where no frame comes', async () => {
    await page.open(four);
    const run = vi.fn();
    afterPageStart(600, run);
    await seconds(0.599);
    expect(run).not.toHaveBeenCalled();
    await seconds(0.001);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('150 ms after the frames', async () => {
    await page.open(four);
    const run = vi.fn();
    afterPageStart(600, run);
    for (const video of page.media.videos) video.showNow();
    await seconds(0.149);
    expect(run).not.toHaveBeenCalled();
    await seconds(0.001);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
