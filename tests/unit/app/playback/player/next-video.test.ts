import { beforeEach, expect, test, vi } from 'vitest';
import { storeLearned } from '#app/playback/learned-device.ts';
import { mediaBudget, slowBelowKbps } from '#app/playback/media-budget.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';
import type { FakeMedia } from '../fake-video.ts';
import { fakeMediaGlobals } from '../fake-video.ts';
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

const warmed = () => vi.mocked(fetch).mock.calls.map(([address]) => String(address));

test('the next video stands ready beneath, silent and still, and nobody is told', () => {
  const { player, facts, told, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  expect(facts).toMatchObject({ isNextReady: false, isPreparing: false });
  layer('back').showNow();
  expect(facts).toMatchObject({ isNextReady: true, isPreparing: false });
  expect(layer('back')).toMatchObject({ paused: true, muted: true });
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/old'), paused: false });
  expect(told).toEqual([]);
});

test('a video that stands ready is shown within the call, and plays', () => {
  const { player, facts, told, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  layer('back').showNow();
  expect(player.showNext()).toBe(true);
  expect(told).toEqual(['shown']);
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/next'), paused: false });
  expect(facts).toMatchObject({ isPreparing: false, isPaused: false, isNextReady: false });
});

test('a video that is wanted before it stands ready is shown with its first picture', () => {
  const { player, facts, told, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  layer('back').metadataNow();
  player.showNext();
  expect(facts).toMatchObject({ isPreparing: true });
  expect(layer('back').paused).toBe(false);
  layer('back').pictureNow();
  layer('back').presentNow();
  expect(told).toEqual(['shown']);
  expect(layer('front').src).toContain('/next');
});

test.each([
  ['slow', slowBelowKbps - 1, true],
  ['fast enough', slowBelowKbps, false],
])(
  'where the network was %s on the last visit, with %d kbps, the next video may be prepared by its first bytes alone: %s',
  (_, kbps, isByBytes) => {
    Object.assign(window, { localStorage: fakeStorage() });
    storeLearned('kbps', kbps);
    const { player, layer } = playerShowing(media);
    player.prepareNext({ url: '/next' });
    expect(layer('back').hasAttribute('src')).toBe(!isByBytes);
    expect(warmed()).toHaveLength(isByBytes ? 1 : 0);
    expect(player.showNext()).toBe(true);
    layer('back').showNow();
    expect(layer('front').src).toContain('/next');
  },
);

test('nothing prepared is said, and nothing happens', () => {
  const { player, told } = playerShowing(media);
  expect(player.showNext()).toBe(false);
  expect(told).toEqual([]);
});

test('a dropped next video leaves no source, and is not shown', () => {
  const { player, facts, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  layer('back').showNow();
  player.dropNext();
  expect(layer('back').hasAttribute('src')).toBe(false);
  expect(facts.isNextReady).toBe(false);
  expect(player.showNext()).toBe(false);
});

test('another next video takes the place of the first', () => {
  const { player, told, layer } = playerShowing(media);
  player.prepareNext({ url: '/first' });
  player.prepareNext({ url: '/second' });
  layer('back').showNow();
  player.showNext();
  expect(layer('front').src).toContain('/second');
  expect(told).toEqual(['shown']);
});

test('a plain preparation supersedes what was prepared', () => {
  const { player, told, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  layer('back').showNow();
  player.prepare({ url: '/asked' });
  expect(player.showNext()).toBe(false);
  layer('back').showNow();
  expect(layer('front').src).toContain('/asked');
  expect(told).toEqual(['shown']);
});

test('a video that is asked for plays, although another one stood ready', () => {
  const { player, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  layer('back').showNow();
  player.prepare({ url: '/asked' });
  layer('back').showNow();
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/asked'), paused: false });
});

test('while another video is on its way the next one waits, and is prepared when the old one has gone', () => {
  const { player, facts, layer } = playerShowing(media);
  player.prepare({ url: '/coming' });
  player.prepareNext({ url: '/next' });
  expect(layer('back').src).toContain('/coming');
  layer('back').showNow();
  expect(layer('back').src).toContain('/old');
  media.settle();
  expect(layer('back').src).toContain('/next');
  layer('back').showNow();
  expect(facts.isNextReady).toBe(true);
});

test('a next video that gives no picture is told of and forgotten; the one on screen is none the worse', () => {
  const { player, facts, told, layer } = playerShowing(media);
  player.prepareNext({ url: '/broken' });
  layer('back').failNow(3);
  expect(told).toEqual(['next failed: decode']);
  expect(facts).toMatchObject({ error: null, hasFrame: true });
  expect(player.showNext()).toBe(false);
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test('at most two of four are prepared in elements, the others by their first bytes, until one of the two is shown', () => {
  const four = ['/a', '/b', '/c', '/d'].map((url) => playerShowing(media, { url }));
  for (const { player } of four) player.prepareNext({ url: '/next' });
  const loaded = () => four.map(({ layer }) => layer('back').hasAttribute('src'));
  expect(loaded()).toEqual([true, true, false, false]);
  expect(warmed()).toHaveLength(2);
  const [first] = four;
  first?.layer('back').showNow();
  first?.player.showNext();
  media.settle();
  expect(loaded()).toEqual([false, true, true, false]);
});

test("where somebody has just skipped the next video is prepared again, at the cost of another quadrant's", () => {
  const four = ['/a', '/b', '/c', '/d'].map((url) => playerShowing(media, { url }));
  for (const { player } of four) player.prepareNext({ url: '/next' });
  const third = four[2];
  third?.player.showNext();
  third?.layer('back').showNow();
  third?.player.prepareNext({ url: '/following' });
  media.settle();
  expect(third?.layer('back').src).toContain('/following');
  expect(four.filter(({ layer }) => layer('back').hasAttribute('src'))).toHaveLength(2);
});

test('a next video that gives its element away is not ready any more, but comes when it is wanted', () => {
  const [first, ...others] = ['/a', '/b', '/c', '/d'].map((url) => playerShowing(media, { url }));
  first?.player.prepareNext({ url: '/next' });
  first?.layer('back').showNow();
  for (const { player } of others) player.prepare({ url: '/skipped' });
  expect(first?.facts.isNextReady).toBe(false);
  first?.player.showNext();
  for (const { layer } of others.slice(0, 2)) layer('back').showNow();
  media.settle();
  first?.layer('back').showNow();
  expect(first?.told).toEqual(['shown']);
});

test('a skip takes its element from what was only prepared elsewhere', () => {
  const four = ['/a', '/b', '/c', '/d'].map((url) => playerShowing(media, { url }));
  for (const { player } of four.slice(0, 2)) player.prepareNext({ url: '/next' });
  const third = four[2];
  third?.player.prepare({ url: '/skipped' });
  expect(third?.layer('back').src).toContain('/skipped');
  expect(four.map(({ layer }) => layer('back').hasAttribute('src'))).toEqual([true, false, true, false]);
});

test('four skips at once keep their old pictures until it is their turn', () => {
  const four = ['/a', '/b', '/c', '/d'].map((url) => playerShowing(media, { url }));
  for (const { player } of four) player.prepare({ url: '/skipped' });
  const [first, , third] = four;
  expect(third?.layer('front')).toMatchObject({ src: expect.stringContaining('/c'), paused: false });
  expect(third?.layer('back').hasAttribute('src')).toBe(false);
  expect(third?.facts.isPreparing).toBe(true);
  first?.layer('back').showNow();
  media.settle();
  expect(third?.layer('back').src).toContain('/skipped');
});

test('where there is no decoder to spare, the old picture stays as a still while the next one takes its decoder', () => {
  mediaBudget.setCapacity('decoder', 1);
  const { player, told, layer } = playerShowing(media);
  player.prepare({ url: '/next' });
  expect(layer('front').hasAttribute('src')).toBe(false);
  expect(media.canvases[0]).toMatchObject({ drawn: expect.stringContaining('/old'), isPlaced: true });
  layer('back').showNow();
  media.settle();
  expect(told).toEqual(['shown']);
  expect(media.canvases[0]?.isPlaced).toBe(false);
});

test('there, what follows is made ready by its first bytes alone', () => {
  mediaBudget.setCapacity('decoder', 1);
  const { player, told, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  expect(layer('back').hasAttribute('src')).toBe(false);
  expect(warmed()).toEqual(['/next?piece=2097152']);
  expect(player.showNext()).toBe(true);
  layer('back').showNow();
  expect(told).toEqual(['shown']);
});

test('a device with little memory gets bytes, a viewer who saves data gets nothing', () => {
  vi.stubGlobal('navigator', { ...navigator, deviceMemory: 2 });
  const { player, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  expect(warmed()).toHaveLength(1);
  player.dropNext();
  vi.stubGlobal('navigator', { ...navigator, connection: { saveData: true } });
  player.prepareNext({ url: '/other' });
  expect(warmed()).toHaveLength(1);
  expect(layer('back').hasAttribute('src')).toBe(false);
});
