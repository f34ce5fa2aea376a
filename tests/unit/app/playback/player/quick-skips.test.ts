import { beforeEach, expect, test, vi } from 'vitest';
import { mediaBudget } from '#app/playback/media-budget.ts';
import type { FakeMedia, FrameTellingVideo } from '../fake-video.ts';
import { fakeMediaGlobals } from '../fake-video.ts';
import type { PlayerUnderTest } from '../player-under-test.ts';
import { playerShowing } from '../player-under-test.ts';

let media: FakeMedia;

beforeEach(() => {
  media = fakeMediaGlobals();
  mediaBudget.setCapacity('decoder', 6);
  vi.stubGlobal(
    'fetch',
    vi.fn(() => new Promise(() => {})),
  );
});

/** It has come to the screen, and what was there before lies beneath it still. */
function skipTo({ player, layer }: PlayerUnderTest, url: string): void {
  player.prepare({ url });
  layer('back').showNow();
}

/** As many pictures as it takes until what lies beneath is not needed. */
function stand(video: FrameTellingVideo): void {
  for (let picture = 0; picture < 2; picture += 1) video.presentNow();
  media.drawFrames(3);
}

const sourcesOf = ({ videos }: PlayerUnderTest) => videos.map(({ src }) => src.split('?')[0]).filter(Boolean);

const stillOf = () => media.canvases.find(({ isPlaced }) => isPlaced)?.drawn?.split('?')[0];

test('a video of another host holds a connection until all of it is there, and one of ours does not', () => {
  const ours = playerShowing(media);
  expect(mediaBudget.inUse('connection')).toBe(0);
  const { layer } = playerShowing(media, { url: 'https://media.example/a.mp4?expires=1' });
  expect(mediaBudget.inUse('connection')).toBe(1);
  const video = layer('front');
  for (const [loaded, held] of [
    [30, 1],
    [59.8, 0],
  ] as const) {
    video.loadedSeconds = loaded;
    video.dispatchEvent(new Event('suspend'));
    expect(mediaBudget.inUse('connection')).toBe(held);
  }
  ours.player.release();
});

test('a store that sends videos itself gets no more requests at once than a browser has connections for it', () => {
  mediaBudget.setCapacity('connection', 32);
  playerShowing(media, { url: 'https://media.example/a.mp4?expires=1' });
  expect(mediaBudget.capacityOf('connection')).toBe(32);
  playerShowing(media, { url: 'https://s3.example/a.mp4?X-Amz-Date=1&expires=1' });
  expect(mediaBudget.capacityOf('connection')).toBe(6);
  mediaBudget.setCapacity('connection', 5);
});

test('in a small window the old video gives up its source although the page is hidden and draws nothing', () => {
  const one = playerShowing(media);
  const due: (() => void)[] = [];
  const small = { requestAnimationFrame: (run: () => void) => due.push(run), cancelAnimationFrame: () => {} };
  for (const video of one.videos) Object.assign(video, { ownerDocument: { defaultView: small } });
  vi.stubGlobal('requestAnimationFrame', () => 0);
  skipTo(one, '/next');
  expect(sourcesOf(one)).toEqual(expect.arrayContaining(['/old', '/next']));
  for (let picture = 0; picture < 2; picture += 1) one.layer('front').presentNow();
  for (let drawn = 0; drawn < 3; drawn += 1) for (const run of due.splice(0)) run();
  expect(sourcesOf(one)).toEqual(['/next']);
});

test('a small window that is closed right after a swap does not keep the old video', () => {
  const one = playerShowing(media);
  const small = { requestAnimationFrame: () => 1, cancelAnimationFrame: () => {} };
  for (const video of one.videos) Object.assign(video, { ownerDocument: { defaultView: small } });
  skipTo(one, '/next');
  for (const video of one.videos) Object.assign(video, { ownerDocument: { defaultView: null } });
  stand(one.layer('front'));
  expect(sourcesOf(one)).toEqual(['/next']);
});

test('a skip right after a swap is loaded at once, and a still of the old picture stays beneath until the new one stands', () => {
  const one = playerShowing(media);
  skipTo(one, '/next');
  one.player.prepare({ url: '/after' });
  expect([one.layer('front').src, one.layer('back').src]).toEqual(
    ['/next', '/after'].map((url) => expect.stringContaining(url)),
  );
  expect([stillOf(), one.layer('back').dataset.peeks]).toEqual(['/old', '']);
  stand(one.layer('front'));
  expect([stillOf(), sourcesOf(one)]).toEqual([undefined, ['/after', '/next']]);
});

test('of two skips right after each other the first picture leaves when the second stands, and the still with it', () => {
  const one = playerShowing(media);
  skipTo(one, '/next');
  skipTo(one, '/after');
  expect(one.told).toEqual(['shown', 'shown']);
  expect([stillOf(), sourcesOf(one)]).toEqual(['/old', expect.arrayContaining(['/next', '/after'])]);
  stand(one.layer('front'));
  expect([stillOf(), sourcesOf(one)]).toEqual([undefined, ['/after']]);
});

test('at a third skip, before any of the pictures stands, the still is of the latest that leaves', () => {
  const one = playerShowing(media);
  skipTo(one, '/next');
  skipTo(one, '/after');
  one.player.prepare({ url: '/third' });
  expect([one.layer('back').src, stillOf()]).toEqual([expect.stringContaining('/third'), '/next']);
  one.layer('back').showNow();
  media.settle();
  expect([stillOf(), sourcesOf(one)]).toEqual([undefined, ['/third']]);
});

test('a skip to what was prepared and one to what was asked for, right after each other, both come', () => {
  const one = playerShowing(media);
  one.player.prepareNext({ url: '/next' });
  one.layer('back').showNow();
  one.player.showNext();
  skipTo(one, '/after');
  media.settle();
  expect(one.told).toEqual(['shown', 'shown']);
  expect(sourcesOf(one)).toEqual(['/after']);
});

test('what is abandoned while an older picture leaves gives its source back, and the next one is prepared in its place', () => {
  const one = playerShowing(media);
  skipTo(one, '/next');
  one.player.prepare({ url: '/after' });
  one.player.cancel();
  one.player.prepareNext({ url: '/following' });
  media.settle();
  expect(sourcesOf(one)).toEqual(['/following', '/next']);
});

test('a page that is hidden meanwhile keeps one source, that of what is on screen', () => {
  const one = playerShowing(media);
  skipTo(one, '/next');
  one.player.prepare({ url: '/after' });
  one.player.setHidden(true);
  expect(sourcesOf(one)).toEqual(['/next']);
  one.player.setHidden(false);
  expect(one.layer('back').src).toContain('/after');
});
