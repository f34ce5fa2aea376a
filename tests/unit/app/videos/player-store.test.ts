import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { closePlayer, dismissFailure, play, player, playIn, playShared } from '#app/features/videos/video-player.tsx';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { claimPlayRequest } from '#app/state/view-requests.ts';
import { video } from '../../../ui/videos/library.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { fakeBrowser } from '../state/fake-browser.ts';

const now = Date.UTC(2026, 0, 2);
const at = (name: string, seconds: number) => `/stream/${name}?expires=${now / 1000 + seconds}&signature=s`;
const card = (name: string, seconds: number) => ({ ...video(name), url: at(name, seconds) });

let network: FakeNetwork;

beforeEach(() => {
  vi.useFakeTimers({ now });
  fakeBrowser();
  network = fakeNetwork();
});

afterEach(() => {
  closePlayer();
  dismissFailure();
  resetNavigation();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const asked = () => network.fetch.mock.calls.map(([address]) => address);

test('a card plays at once while its address holds', async () => {
  await play(card('pier', 61));
  expect([player.video?.url, asked()]).toEqual([at('pier', 61), []]);
});

test.each([
  ['has run out', -1],
  ['runs out before the video could start', 60],
])('an address that %s is asked for again, by the id of the video', async (_, seconds) => {
  network.answer({ json: { video: card('pier', 3_600) } });
  await play(card('pier', seconds));
  expect([player.video?.url, asked()]).toEqual([at('pier', 3_600), ['/api/videos/pier']]);
});

test.each<[string, Parameters<FakeNetwork['answer']>[0]]>([
  ['is gone', { status: 404, json: { error: 'video_not_found', message: 'Not found' } }],
  ['cannot be asked for', 'away'],
])(
  'a card whose video %s does not play with the old address, and says so until the next one plays',
  async (_, reply) => {
    network.answer(reply);
    await play(card('pier', -1));
    expect([player.video, player.failure]).toEqual([null, 'Failed to load video']);
    await play(card('harbour', 3_600));
    expect([player.video?.id, player.failure]).toEqual(['harbour', null]);
  },
);

describe('a window of full HD', () => {
  const card4k = {
    ...card('pier', 3_600),
    url: `${at('pier', 3_600)}&rendition=grid`,
    renditions: [
      { name: 'grid' as const, bytes: 1, width: 960, height: 540 },
      { name: 'hd' as const, bytes: 2, width: 1920, height: 1080 },
      { name: 'source' as const, bytes: 3, width: 3840, height: 2160 },
    ],
  };

  beforeEach(() => Object.assign(window, { innerWidth: 1920, innerHeight: 1080, devicePixelRatio: 1 }));

  test('has the encoding that fills it, not the one of the list', async () => {
    network.answer({ json: { url: '/stream/pier-hd', rendition: 'hd', width: 1920, height: 1080, bitrate_bps: 1 } });
    await play(card4k);
    expect([player.video?.url, asked()]).toEqual(['/stream/pier-hd', ['/api/optimization/video-url']]);
    expect(JSON.parse(network.fetch.mock.calls[0]?.[1].body as string)).toMatchObject({
      path: 'pier.mp4',
      quality: 'hd',
    });
  });

  test('has the one of the list where the server gives no other', async () => {
    network.answer({ status: 500, json: { error: 'internal', message: 'Something went wrong' } });
    await play(card4k);
    expect(player.video?.url).toBe(card4k.url);
  });

  test('that has been closed meanwhile stays closed', async () => {
    network.answer('silent');
    const playing = play(card4k);
    closePlayer();
    await playing;
    expect(player.video).toBeNull();
  });
});

test('of two cards the one that was pressed last plays', async () => {
  network.answer('silent', { json: { video: card('pier', 3_600) } });
  const first = play(card('harbour', -1));
  await play(card('pier', 3_600));
  await first;
  expect([player.video?.id, player.failure]).toEqual(['pier', null]);
});

test('nothing opens after the view has been left', async () => {
  network.answer('silent');
  const playing = play(card('pier', -1));
  closePlayer();
  await playing;
  expect([player.video, player.failure]).toEqual([null, null]);
});

test('the video of a shared address is asked for, once', async () => {
  navigation.sharedVideoId = 'pier';
  network.answer({ json: { video: card('pier', 3_600) } });
  await playShared();
  await playShared();
  expect([player.video?.id, asked()]).toEqual(['pier', ['/api/videos/pier']]);
});

test('a quadrant gets an address that holds, although the dialog stood open for hours', async () => {
  await play(card('pier', 3_600));
  vi.setSystemTime(now + 7_200_000);
  network.answer({ json: { video: card('pier', 86_400) } });
  await playIn('top-right');
  expect(claimPlayRequest()).toMatchObject({ quadrant: 'top-right', video: { id: 'pier', url: at('pier', 86_400) } });
  expect(player.video).toBe(null);
});

test('a video that is gone meanwhile goes to no quadrant', async () => {
  await play(card('pier', 3_600));
  vi.setSystemTime(now + 7_200_000);
  network.answer({ status: 404, json: { error: 'video_not_found', message: 'Not found' } });
  await playIn('top-right');
  expect([claimPlayRequest(), player.video, player.failure]).toEqual([null, null, 'Failed to load video']);
});

test('a card that could not be played asks again, and plays what can be by now', async () => {
  network.answer({ json: { video: card('pier', 3_600) } });
  await play({ ...card('pier', 3_600), available: false, message: 'It is being made playable.' });
  expect([player.video?.id, player.failure, asked()]).toEqual(['pier', null, ['/api/videos/pier']]);
});

test.each([
  ['a card', () => play({ ...card('pier', 3_600), available: false, message: 'It is being made playable.' })],
  ['a shared address', playShared],
  ['a card with an old address', () => play(card('pier', -1))],
])('a video of %s that cannot be played opens no player, and says why', async (_, open) => {
  navigation.sharedVideoId = 'pier';
  const message = 'This device cannot play it.';
  network.answer({ json: { video: { ...card('pier', 3_600), available: false, message } } });
  await open();
  expect([player.video, player.failure]).toEqual([null, message]);
});
