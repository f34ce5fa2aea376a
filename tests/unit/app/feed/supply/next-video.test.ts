import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FeedVideo } from '#app/features/feed/quadrant/quadrant.ts';
import type { NextVideoRequest } from '#app/features/feed/supply/next-video.ts';
import { nextVideo } from '#app/features/feed/supply/next-video.ts';
import type { SupplyResult, VideoSource } from '#app/features/feed/supply/pick-request.ts';
import type { PickAnswer } from '../fake-library.ts';
import { FakeLibrary, noneAtAll, notYet, picked } from '../fake-library.ts';
import { feedVideo } from '../feed-video.ts';

let library: FakeLibrary;

beforeEach(() => {
  vi.stubGlobal('window', {});
  library = new FakeLibrary('a', 'b', 'c');
});

afterEach(() => vi.unstubAllGlobals());

const request = (parts: Partial<NextVideoRequest> = {}): NextVideoRequest => ({
  quadrant: 'top-left',
  filter: { tagIds: [], mode: 'OR' },
  demand: { width: 720 },
  excluded: () => [],
  claim: () => true,
  signal: new AbortController().signal,
  ...parts,
});
const ask = (parts?: Partial<NextVideoRequest>) => nextVideo(request(parts));

const answers: Array<[string, PickAnswer, object]> = [
  ['a video', { json: picked('a', 3) }, { kind: 'claimed' }],
  [
    'a video that is being made playable',
    { json: notYet },
    { kind: 'downloading', reason: 'On its way', processing: { state: 'running', progress: 40 } },
  ],
  [
    'a video that cannot be played here',
    { json: { ...notYet, message: 'This device cannot play it.', processing: null } },
    { kind: 'downloading', reason: 'This device cannot play it.', processing: null },
  ],
  ['404', noneAtAll, { kind: 'failed', failure: 'no-videos' }],
  ['nothing', { json: null }, { kind: 'failed', failure: 'no-data' }],
  ['a video without an address', { json: { ...picked('a', 3), url: '' } }, { kind: 'failed', failure: 'no-data' }],
  [
    '500',
    { status: 500, json: { error: 'internal', message: 'Something went wrong' } },
    { kind: 'failed', failure: 'not-loaded' },
  ],
  [
    '429',
    { status: 429, json: { error: 'rate_limited', message: 'Too many calls' } },
    { kind: 'failed', failure: 'not-loaded' },
  ],
  ['no reply at all', 'away', { kind: 'failed', failure: 'no-network' }],
  [
    'a closed gate',
    { status: 401, json: { error: 'site_password_required', message: 'A password is needed' } },
    { kind: 'refused' },
  ],
];

test.each(answers)('a quadrant that is answered with %s', async (_, answer, outcome) => {
  library.answer = () => answer;
  expect(await ask()).toEqual(outcome);
});

test('a quadrant takes what it is given', async () => {
  const renditions = [{ name: 'grid', bytes: 1_000, width: 960, height: 540 }];
  library.answer = () => ({ json: { ...picked('a', 3), rendition: 'grid', renditions } });
  const claim = vi.fn(() => true);
  await ask({ claim });
  expect(claim).toHaveBeenCalledWith(
    {
      id: 'a',
      path: 'a.mp4',
      title: 'a.mp4',
      url: '/stream/a',
      rendition: 'grid',
      renditions: [{ name: 'grid', bytes: 1_000, width: 960, height: 540 }],
      storyboard: null,
      width: 1920,
      height: 1080,
      durationSeconds: 60,
      posterUrl: '/posters/a',
      tagIds: [],
      matching: 3,
    },
    false,
  );
});

test('a captive portal that answers with a page counts as an absent network', async () => {
  vi.stubGlobal(
    'fetch',
    async () => new Response('<!doctype html><title>Sign in to this Wi-Fi</title>', { status: 200 }),
  );
  expect(await ask()).toEqual({ kind: 'failed', failure: 'no-network' });
});

test('a reply that another quadrant took meanwhile is dropped and asked for again, with what is excluded by then', async () => {
  const taken = ['a'];
  const claim = vi.fn(({ id }: FeedVideo) => !taken.includes(id));
  await ask({ excluded: () => (library.asks.length === 0 ? [] : taken), claim });
  expect(claim.mock.calls.map(([video]) => video.id)).toEqual(['a', 'b']);
  expect(library.asks.map(({ exclude }) => exclude)).toEqual([[], ['a']]);
});

test('the fourth reply is taken as it comes', async () => {
  const claim = vi.fn((_video: FeedVideo, isLastTry: boolean) => isLastTry);
  expect(await ask({ claim })).toEqual({ kind: 'claimed' });
  expect(claim.mock.calls.map(([, isLastTry]) => isLastTry)).toEqual([false, false, false, true]);
});

test('a call that is given up is no failure, and what it brings late is not taken', async () => {
  const abort = new AbortController();
  const claim = vi.fn(() => true);
  library.hold();
  const answer = ask({ signal: abort.signal, claim });
  abort.abort();
  library.letGo();
  expect(await answer).toEqual({ kind: 'given-up' });
  expect(claim).not.toHaveBeenCalled();
});

test('a reply that came in the very moment of giving up is not taken', async () => {
  const abort = new AbortController();
  const claim = vi.fn(() => true);
  library.answer = () => {
    queueMicrotask(() => abort.abort());
    return undefined;
  };
  expect(await ask({ signal: abort.signal, claim })).toEqual({ kind: 'given-up' });
  expect(claim).not.toHaveBeenCalled();
});

describe('of several sources', () => {
  const sourceOf = (result: SupplyResult) => ({ pick: vi.fn(async () => result) });
  const given: SupplyResult = {
    kind: 'given',
    video: feedVideo('a'),
  };
  const askAll = (...sources: VideoSource[]) => nextVideo(request(), sources);

  test('the first one that gives a video is the last that is asked', async () => {
    const [first, second] = [sourceOf(given), sourceOf(given)];
    expect(await askAll(first, second)).toEqual({ kind: 'claimed' });
    expect(second.pick).not.toHaveBeenCalled();
  });

  test('another one is asked when one has failed, and the first failure is told when all have', async () => {
    const away = sourceOf({ kind: 'failed', failure: 'no-network' });
    expect(await askAll(away, sourceOf(given))).toEqual({ kind: 'claimed' });
    expect(await askAll(away, sourceOf({ kind: 'failed', failure: 'no-videos' }))).toEqual({
      kind: 'failed',
      failure: 'no-network',
    });
  });

  test('a video that is not available yet is waited for', async () => {
    const notYet: SupplyResult = { kind: 'downloading', reason: 'On its way', processing: null };
    expect(await askAll(sourceOf(notYet), sourceOf(given))).toEqual(notYet);
  });
});
