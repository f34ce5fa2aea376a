import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { reached } from '#app/platform/http/send.ts';
import { recovered } from '#app/platform/link.ts';
import type { FakeMedia, FrameTellingVideo } from '../fake-video.ts';
import { fakeMediaGlobals } from '../fake-video.ts';
import { openPlayer, playerShowing } from '../player-under-test.ts';

let media: FakeMedia;
const outcomes: string[] = [];
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  media = fakeMediaGlobals();
  outcomes.length = 0;
  stop = reached.listen((outcome) => outcomes.push(outcome));
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

const seconds = (count: number) => vi.advanceTimersByTime(count * 1000);
const receive = (video: FrameTellingVideo) => video.dispatchEvent(new Event('progress'));

/** It asks for bytes, and is sent none. */
const wait = (video: FrameTellingVideo) => Object.assign(video, { networkState: 2 });

describe('a video on its way', () => {
  test('without a byte for 15 s gives no picture, and the network is doubted', () => {
    const { player, told, facts, layer } = openPlayer();
    player.prepare({ url: '/a' });
    wait(layer('back'));
    seconds(14.9);
    expect(told).toEqual([]);
    seconds(0.1);
    expect([told, facts.error, facts.isPreparing]).toEqual([['failed'], 'network', false]);
    expect(layer('back').hasAttribute('src')).toBe(false);
    expect(outcomes).toEqual(['silent']);
  });

  test('that comes slowly is waited for', () => {
    const { player, told, layer } = openPlayer();
    player.prepare({ url: '/a' });
    wait(layer('back'));
    for (let bytes = 0; bytes < 6; bytes += 1) {
      seconds(10);
      receive(layer('back'));
    }
    layer('back').showNow();
    expect(told).toEqual(['shown']);
  });

  test('that plays although it says that it has no data, as in WebKit after a seek, is not a silent one', () => {
    const { player, layer } = playerShowing(media);
    player.play();
    layer('front').starveNow();
    wait(layer('front'));
    const source = layer('front').src;
    for (let second = 1; second < 60; second += 1) {
      seconds(1);
      layer('front').timeNow(second);
    }
    expect([layer('front').src, outcomes]).toEqual([source, []]);
  });

  test('that the browser does not load for now is not a silent one', () => {
    const { player, told } = openPlayer();
    player.prepare({ url: '/a' });
    seconds(120);
    expect(told).toEqual([]);
  });

  test('is loaded anew at its second when the network recovers, plays on, and fails no more', () => {
    const { player, told, layer } = openPlayer();
    player.play();
    player.prepare({ url: '/a', at: 17 });
    wait(layer('back'));
    seconds(1.9);
    recovered.emit();
    expect(layer('back').dropped).toEqual([]);
    seconds(0.1);
    recovered.emit();
    expect(layer('back').dropped).toHaveLength(1);
    layer('back').metadataNow();
    expect(layer('back')).toMatchObject({ currentTime: 17, paused: false });
    layer('back').pictureNow();
    layer('back').presentNow();
    expect(told).toEqual(['shown']);
  });
});

describe('a video on screen', () => {
  test('that runs out of data is loaded anew after 15 s, beneath its last picture, and fails when that helps not', () => {
    const { told, layer } = playerShowing(media);
    const front = layer('front');
    front.timeNow(9);
    wait(front).starveNow();
    seconds(15);
    expect([front.dropped.length, media.canvases[0]?.isPlaced, told]).toEqual([1, true, []]);
    seconds(15);
    expect(told).toEqual(['failed']);
  });

  test('goes on at its second when the network recovers', () => {
    const { told, layer } = playerShowing(media);
    const front = layer('front');
    front.timeNow(9);
    wait(front).starveNow();
    seconds(3);
    recovered.emit();
    front.metadataNow();
    expect(front).toMatchObject({ currentTime: 9, paused: false });
    front.pictureNow();
    front.presentNow(9);
    seconds(60);
    expect([told, front.hasAttribute('src')]).toEqual([[], true]);
  });

  test.each<[string, (video: FrameTellingVideo) => void]>([
    ['plays from what it has', () => {}],
    ['is paused', (video) => video.pause()],
  ])('is left alone while it %s', (_, become) => {
    const { told, layer } = playerShowing(media);
    become(wait(layer('front')));
    seconds(60);
    recovered.emit();
    expect([told, layer('front').dropped]).toEqual([[], []]);
  });
});
