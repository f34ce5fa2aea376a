import { beforeEach, expect, test } from 'vitest';
import { mediaBudget } from '#app/playback/media-budget.ts';
import type { FakeMedia } from '../fake-video.ts';
import { fakeMediaGlobals } from '../fake-video.ts';
import { openPlayer, playerShowing } from '../player-under-test.ts';

let media: FakeMedia;

beforeEach(() => {
  media = fakeMediaGlobals();
  mediaBudget.setCapacity('decoder', 6);
});

test('out of sight it pauses and prepares nothing; back in sight it goes on with both', () => {
  const { player, facts, layer } = playerShowing(media);
  player.prepareNext({ url: '/next' });
  layer('back').showNow();
  player.setHidden(true);
  expect(layer('front').paused).toBe(true);
  expect(layer('back').hasAttribute('src')).toBe(false);
  expect(facts).toMatchObject({ isPaused: true, isNextReady: false });
  player.setHidden(false);
  expect(layer('front').paused).toBe(false);
  expect(layer('back').src).toContain('/next');
});

test('what was on its way when the page went out of sight comes when it is back', () => {
  const { player, told, layer } = playerShowing(media);
  player.prepare({ url: '/coming', at: 7 });
  player.setHidden(true);
  expect(layer('back').hasAttribute('src')).toBe(false);
  player.setHidden(false);
  layer('back').metadataNow();
  layer('back').pictureNow();
  layer('back').presentNow();
  expect(told).toEqual(['shown']);
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/coming'), currentTime: 7 });
});

test('what is asked for out of sight is fetched when the page is seen', () => {
  const { player, layer } = openPlayer();
  player.setHidden(true);
  player.play();
  player.prepare({ url: '/first' });
  expect(layer('back').hasAttribute('src')).toBe(false);
  player.setHidden(false);
  expect(layer('back')).toMatchObject({ src: expect.stringContaining('/first'), paused: false });
});

test('out of sight play is kept in mind; a pause too', () => {
  const { player, layer } = playerShowing(media);
  player.setHidden(true);
  player.play();
  expect(layer('front').paused).toBe(true);
  player.pause();
  player.setHidden(false);
  expect(layer('front').paused).toBe(true);
});

test('the layer that was just left gives its source back although no frame is drawn out of sight', () => {
  const { player, layer } = playerShowing(media);
  player.prepare({ url: '/next' });
  layer('back').showNow();
  player.setHidden(true);
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test('away from the feed it holds nothing but a still; back on it, it goes on at its second', () => {
  const { player, facts, told, layer, videos } = playerShowing(media);
  layer('front').timeNow(12);
  player.suspend();
  expect(videos.some((video) => video.hasAttribute('src'))).toBe(false);
  expect(mediaBudget.inUse('decoder')).toBe(0);
  expect(media.canvases[0]).toMatchObject({ drawn: expect.stringContaining('/old'), isPlaced: true });
  expect(player.position).toBe(12);
  player.resume();
  expect(layer('front').src).toContain('/old');
  layer('front').metadataNow();
  expect(layer('front').currentTime).toBe(12);
  layer('front').pictureNow();
  layer('front').presentNow();
  expect(media.canvases[0]?.isPlaced).toBe(false);
  expect(facts).toMatchObject({ hasFrame: true, isPaused: false });
  expect(told).toEqual([]);
});

test('a feed that is left twice before its picture is back still knows the second', () => {
  const { player, layer } = playerShowing(media);
  layer('front').timeNow(12);
  player.suspend();
  player.resume();
  layer('front').metadataNow();
  player.suspend();
  expect(player.position).toBe(12);
});

test('a quadrant whose decoder went to the modal player shows a still, and goes on when it is free', () => {
  mediaBudget.setCapacity('decoder', 1);
  const { layer } = playerShowing(media);
  layer('front').timeNow(5);
  const modal = mediaBudget.request({ needs: ['decoder'], priority: 'modal', granted: () => {}, revoked: () => {} });
  expect(layer('front').hasAttribute('src')).toBe(false);
  expect(media.canvases[0]?.isPlaced).toBe(true);
  modal.release();
  layer('front').metadataNow();
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/old'), currentTime: 5, paused: false });
});

test('a source that fails when it goes on is told of', () => {
  const { player, told, facts, layer } = playerShowing(media);
  player.suspend();
  player.resume();
  layer('front').failNow(2);
  expect(told).toEqual(['failed']);
  expect(facts.error).toBe('network');
});
