import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { refreshKey } from '#app/platform/http/token-store.ts';
import { storeLearned } from '#app/playback/learned-device.ts';
import type { PageStart } from '#app/start/page-start.ts';
import { applyFilter, clearFilters } from '#app/state/quadrant-filters.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import type { FrameTellingVideo } from '../playback/fake-video.ts';
import { drawOf, FakeStartPage } from './fake-start-page.ts';

const four = drawOf('a', 'b', 'c', 'd');
const red = { tagIds: ['t1', 't2'], mode: 'AND' as const };

let page: FakeStartPage;
let network: FakeNetwork;

beforeEach(() => {
  page = new FakeStartPage();
  network = fakeNetwork();
});

afterEach(() => {
  clearFilters();
  page.end();
});

const answerOf = (start: PageStart) => start.handOver().picks?.answer;

describe('a page that brings its picks', () => {
  test('loads the four videos, shows them in four places and requests nothing', async () => {
    const start = await page.open(four);
    expect(page.sources()).toEqual(['/stream/a', '/stream/b', '/stream/c', '/stream/d']);
    const { picks, videos, grid } = start.handOver();
    expect(Object.values(videos)).toEqual(page.media.videos);
    expect(Object.values(grid?.hosts ?? {}).flatMap((host) => [...host.children])).toEqual(page.media.videos);
    expect(await picks?.answer).toMatchObject({ ok: true, json: four });
    expect(network.fetch).not.toHaveBeenCalled();
  });

  test('loads a video that is given twice once', async () => {
    const start = await page.open(drawOf('a', 'b', 'a', 'b'));
    expect(page.sources().sort()).toEqual(['/stream/a', '/stream/b']);
    expect(
      Object.keys(start.handOver().videos),
      'the engine claims in this order, and the first quadrant keeps it',
    ).toEqual(quadrants.slice(0, 2));
  });

  test('leaves out a quadrant whose video is not available yet', async () => {
    const start = await page.open({
      ...four,
      'top-left': { available: false, message: 'On its way', id: null, url: null, matching: 0 },
    });
    expect(page.sources()).toEqual(['/stream/b', '/stream/c', '/stream/d']);
    expect(Object.keys(start.handOver().videos)).toEqual(quadrants.slice(1));
  });

  test('shows nothing where the server draws for a known viewer only, and requests nothing', async () => {
    const start = await page.open(null);
    expect(page.media.videos).toEqual([]);
    expect(await answerOf(start)).toMatchObject({ ok: true, json: null });
    expect(network.fetch).not.toHaveBeenCalled();
  });
});

describe('nothing is started', () => {
  test('on a page out of sight', async () => {
    page.see(false);
    expect(await page.runScript(four)).toBeUndefined();
    expect([page.media.videos.length, network.fetch.mock.calls.length]).toEqual([0, 0]);
  });

  test('at an address that asks for something: it is left to the engine', async () => {
    expect(await page.runScript(four, '?view=upload')).toBeUndefined();
    expect(page.media.videos).toEqual([]);
  });

  test('for a venue that has not opened yet, on a page without picks', async () => {
    storeLearned('opens', Date.now() + 60_000);
    await page.open('');
    expect([page.media.videos.length, network.fetch.mock.calls.length]).toEqual([0, 0]);
  });

  test('elsewhere it is, and the engine finds it', async () => {
    expect(await page.runScript(four)).toBeDefined();
    expect(page.sources()).toHaveLength(4);
  });
});

describe.each([
  ['somebody is signed in', () => window.localStorage.setItem(refreshKey, 'of-ana')],
  ['filters are saved, and no draw under them can be had', () => applyFilter('top-left', red)],
  ['the device has learned of too few decoders', () => storeLearned('decoders', 2)],
  ['the device is a venue that has not opened yet', () => storeLearned('opens', Date.now() + 60_000)],
])('where %s', (_, prepare) => {
  test('the page shows and keeps no video', async () => {
    prepare();
    const start = await page.open(four);
    expect(page.media.videos).toHaveLength(4);
    expect(page.sources()).toEqual([]);
    expect(start.handOver()).toMatchObject({ grid: null, videos: {}, isTapped: false });
  });
});

describe('where filters are saved', () => {
  const own = drawOf('e', 'f', 'g', 'h');
  const asked = () => network.fetch.mock.calls.map(([address]) => address);

  test('the page asks with them, and shows that draw instead of the one for everybody', async () => {
    applyFilter('top-left', red);
    applyFilter('bottom-right', { tagIds: ['a&b'], mode: 'OR' });
    network.answer({ json: own });
    const start = await page.open(four);
    expect(asked()).toEqual([
      '/api/video/first?top-left=t1%2Ct2&top-left-mode=AND&bottom-right=a%26b&bottom-right-mode=OR',
    ]);
    expect(page.sources()).toEqual(['/stream/e', '/stream/f', '/stream/g', '/stream/h']);
    const { picks, grid } = start.handOver();
    expect(Object.values(grid?.hosts ?? {}).flatMap((host) => [...host.children])).toEqual(page.media.videos.slice(4));
    expect(await picks?.answer).toMatchObject({ ok: true, json: own });
  });

  test('a page that brings no picks asks with them at once', async () => {
    applyFilter('top-left', red);
    network.answer({ json: own });
    await page.open('');
    expect(asked()).toEqual(['/api/video/first?top-left=t1%2Ct2&top-left-mode=AND']);
    expect(page.sources()).toHaveLength(4);
  });

  test('the quadrants that have a video show it', async () => {
    applyFilter('top-left', red);
    const { 'top-left': _, ...three } = own as Record<Quadrant, object>;
    network.answer({ json: three });
    const start = await page.open(four);
    expect(Object.keys(start.handOver().videos)).toEqual(quadrants.slice(1));
  });

  test('and have run out, the start is an ordinary one', async () => {
    applyFilter('top-left', red);
    vi.setSystemTime(Date.now() + limits.savedFilterHours * 3_600_000);
    await page.open(four);
    expect(page.sources()).toEqual(['/stream/a', '/stream/b', '/stream/c', '/stream/d']);
    expect(asked()).toEqual([]);
  });

  test('on a device with too few decoders, their draw is kept and not shown', async () => {
    storeLearned('decoders', 2);
    applyFilter('top-left', red);
    network.answer({ json: own });
    const start = await page.open(four);
    expect(page.sources()).toEqual([]);
    expect(await answerOf(start)).toMatchObject({ json: own });
  });
});

describe('a tap', () => {
  test('plays all four; out of sight they pause, and go on in sight', async () => {
    await page.open(four);
    page.tap();
    expect(page.paused()).toEqual([false, false, false, false]);
    page.see(false);
    expect(page.paused()).toEqual([true, true, true, true]);
    page.see(true);
    expect(page.paused()).toEqual([false, false, false, false]);
  });

  test('before the engine runs is handed over', async () => {
    const start = await page.open(four);
    page.tap();
    expect(start.handOver().isTapped).toBe(true);
  });

  test('is also OK on a remote', async () => {
    const start = await page.open(four);
    page.press('x');
    expect(page.paused()).toEqual([true, true, true, true]);
    page.press('Enter');
    expect(page.paused()).toEqual([false, false, false, false]);
    expect(start.handOver().isTapped).toBe(true);
  });

  test('is none where the page is only seen again: the stills stay', async () => {
    const start = await page.open(four);
    page.see(false);
    page.see(true);
    expect(page.paused()).toEqual([true, true, true, true]);
    expect(start.handOver().isTapped).toBe(false);
  });
});

describe('what was handed over', () => {
  test('the page does not touch any more', async () => {
    const start = await page.open(four);
    page.tap();
    start.handOver();
    page.see(false);
    expect(page.paused()).toEqual([false, false, false, false]);
  });

  test('is given away once', async () => {
    const start = await page.open(four);
    start.handOver();
    expect(start.handOver()).toMatchObject({ videos: {}, grid: null });
  });

  test('before the picks came is all that the page makes', async () => {
    network.answer({ json: four });
    page.bring('');
    const opened = page.open('');
    window.pageStart?.handOver();
    await opened;
    expect(page.media.videos).toEqual([]);
  });
});

describe('a page without picks', () => {
  test('requests all four at once', async () => {
    network.answer({ json: four, revision: '1.2.3' });
    const start = await page.open('');
    expect(network.fetch.mock.calls.map(([address]) => address)).toEqual(['/api/video/first']);
    expect(page.sources()).toEqual(['/stream/a', '/stream/b', '/stream/c', '/stream/d']);
    expect(await answerOf(start)).toMatchObject({ ok: true, json: four, revision: '1.2.3' });
  });

  test('hands a refusal over', async () => {
    network.answer({ status: 404, json: { error: 'no_videos_available' } });
    const start = await page.open('');
    expect(await answerOf(start)).toMatchObject({ status: 404, ok: false, json: { error: 'no_videos_available' } });
    expect(page.media.videos).toEqual([]);
  });

  test("hands a hotel's page over as no JSON, and lets the engine run", async () => {
    network.answer({ text: '<h1>Welcome</h1>' });
    const start = await page.open('');
    expect(await answerOf(start)).toMatchObject({ ok: true, json: undefined });
    await vi.advanceTimersByTimeAsync(150);
    await expect(start.shown).resolves.toBeUndefined();
  });

  test('hands an absent network over, and lets the engine run', async () => {
    const start = await page.open('');
    await expect(answerOf(start)).rejects.toBeInstanceOf(TypeError);
    await expect(start.shown).resolves.toBeUndefined();
    expect(page.head.children).toEqual(['files of saved videos', 'files of the engine']);
  });

  test('does not ask a server that the worker has just not reached', async () => {
    applyFilter('top-left', red);
    const start = await page.open('away');
    expect(network.fetch).not.toHaveBeenCalled();
    const { picks } = start.handOver();
    await expect(picks?.answer).rejects.toBeInstanceOf(TypeError);
    expect(picks?.filters).toMatchObject({ 'top-left': { selectedTags: red.tagIds } });
    expect(page.head.children).toEqual(['files of saved videos', 'files of the engine']);
  });

  test('that nobody answers ends its request when the engine says so', async () => {
    network.answer('silent');
    const start = await page.open('');
    const { picks } = start.handOver();
    const outcome = picks?.answer.catch((error: Error) => error.name);
    picks?.abort();
    expect(await outcome).toBe('AbortError');
  });
});

describe("the engine's files are fetched", () => {
  test('once all four have a frame', async () => {
    await page.open(four);
    const [last, ...others] = page.media.videos;
    for (const video of others) video.showNow();
    await vi.advanceTimersByTimeAsync(399);
    expect(page.head.children).toEqual([]);
    last?.showNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(page.head.children).toEqual(['files of the engine']);
  });

  test('beside the frames where these take longer than 400 ms', async () => {
    await page.open(four);
    await vi.advanceTimersByTimeAsync(400);
    expect(page.head.children).toEqual(['files of the engine']);
  });

  test.each([
    ['the page shows nothing', null, ''],
    ['the address asks for something', four, '?view=upload'],
  ])('at once where %s', async (_, draw, search) => {
    await page.runScript(draw, search);
    expect(page.head.children).toEqual(['files of the engine']);
  });
});

test('the first words are shown 600 ms later, so that none are laid out where frames come at once', async () => {
  await page.runScript(four);
  await vi.advanceTimersByTimeAsync(599);
  expect(page.words.textContent).toBe('');
  await vi.advanceTimersByTimeAsync(1);
  expect(page.words.textContent).toBe('Loading...');
});

describe('the engine may run', () => {
  test('at once where the page shows nothing', async () => {
    const start = await page.open(null);
    await expect(start.shown).resolves.toBeUndefined();
  });

  test('once all four have a frame or failed, and 150 ms later', async () => {
    const start = await page.open(four);
    const heard = vi.fn();
    void start.shown.then(heard);
    const [broken, ...sound] = page.media.videos as [FrameTellingVideo, ...FrameTellingVideo[]];
    for (const video of sound) video.showNow();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heard).not.toHaveBeenCalled();
    (broken as unknown as { onerror: () => void }).onerror();
    await vi.advanceTimersByTimeAsync(149);
    expect(heard).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(heard).toHaveBeenCalled();
  });

  test('250 ms after a tap that comes meanwhile', async () => {
    const start = await page.open(four);
    const heard = vi.fn();
    void start.shown.then(heard);
    for (const video of page.media.videos) video.showNow();
    await vi.advanceTimersByTimeAsync(100);
    page.tap();
    await vi.advanceTimersByTimeAsync(249);
    expect(heard).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(heard).toHaveBeenCalled();
  });
});
