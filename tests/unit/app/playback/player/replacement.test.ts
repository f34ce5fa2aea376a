import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { syncWithFront } from '#app/playback/quality/quality-control.ts';
import type { FakeMedia } from '../fake-video.ts';
import { fakeMediaGlobals } from '../fake-video.ts';
import type { PlayerUnderTest } from '../player-under-test.ts';
import { playerShowing } from '../player-under-test.ts';

let media: FakeMedia;
let shown: PlayerUnderTest;
let replaced: ReturnType<typeof vi.fn<() => void>>;
const decoders = mediaBudget.capacityOf('decoder');

beforeEach(() => {
  vi.useFakeTimers();
  media = fakeMediaGlobals();
  shown = playerShowing(media);
  replaced = vi.fn();
});

afterEach(() => {
  mediaBudget.setCapacity('decoder', decoders);
  vi.useRealTimers();
});

const front = () => shown.layer('front');
const back = () => shown.layer('back');
const isHd = () => front().src.startsWith('/hd');

function replace(at: number, priority: 'quadrant' | 'modal' = 'quadrant'): void {
  shown.player.replaceSource('/hd', { at, meet: syncWithFront, priority, shown: replaced });
}

/** The first frame of what comes, at its second. */
function arrive(): void {
  back().metadataNow();
  back().pictureNow();
  back().presentNow();
}

test('it waits, as a still, until the front shows the same frame, and goes on from there', () => {
  front().timeNow(10);
  replace(12);
  arrive();
  expect([isHd(), back().paused]).toEqual([false, true]);
  for (const second of [10.5, 11, 11.5, 11.9]) {
    front().timeNow(second);
    vi.advanceTimersByTime(250);
    expect(isHd()).toBe(false);
  }
  front().timeNow(11.97);
  vi.advanceTimersByTime(250);
  expect([isHd(), front().currentTime, front().paused]).toEqual([true, 12, false]);
  expect(replaced).toHaveBeenCalledOnce();
  expect(shown.told).toEqual([]);
  expect(shown.facts).toMatchObject({ hasFrame: true, isPreparing: false, isPaused: false });
});

test('one that comes late goes to where the front is, and a little beyond', () => {
  front().timeNow(10);
  replace(12);
  front().timeNow(13);
  arrive();
  expect([isHd(), back().currentTime]).toEqual([false, 13.5]);
  front().timeNow(13.46);
  back().pictureNow();
  expect(isHd()).toBe(true);
});

test('where the front has run out of data it goes on from its very second', () => {
  front().timeNow(10);
  front().starveNow();
  replace(12);
  arrive();
  back().pictureNow();
  expect([isHd(), front().currentTime]).toEqual([true, 10]);
});

test('sound, volume and loop stay', () => {
  shown.player.setMuted(false);
  shown.player.setVolume(0.4);
  shown.player.setLooping(true);
  replace(0);
  arrive();
  expect(front()).toMatchObject({ muted: false, volume: 0.4, loop: true });
  expect(back().muted).toBe(true);
});

test('nobody is told while it comes, and the video is never covered', () => {
  front().timeNow(10);
  replace(12);
  expect(shown.facts).toMatchObject({ isPreparing: false, hasFrame: true });
  expect(front().src).toContain('/old');
  arrive();
  expect(shown.facts.isPreparing).toBe(false);
});

describe('it is given up', () => {
  test.each<[string, () => void]>([
    ['when it fails', () => back().failNow(4)],
    [
      'when the viewer has sought far back',
      () => {
        front().timeNow(1);
        arrive();
      },
    ],
    [
      'when the front stands still for long',
      () => {
        arrive();
        vi.advanceTimersByTime(16_000);
      },
    ],
    [
      'when its first frame does not come',
      () => {
        back().metadataNow();
        vi.advanceTimersByTime(31_000);
      },
    ],
    [
      'when it fails while it waits',
      () => {
        arrive();
        back().failNow(3);
      },
    ],
    [
      'when it comes late, and its jump to the front does not end',
      () => {
        front().timeNow(13);
        arrive();
        vi.advanceTimersByTime(16_000);
      },
    ],
    [
      'when its decoder is needed elsewhere',
      () => {
        arrive();
        mediaBudget.setCapacity('decoder', 1);
        mediaBudget.setCapacity('decoder', decoders);
      },
    ],
    ['when the page is hidden', () => shown.player.setHidden(true)],
    ['when the video before it breaks', () => front().failNow(3)],
  ])('%s', (_, happen) => {
    front().timeNow(10);
    replace(12);
    happen();
    expect([isHd(), replaced.mock.calls.length]).toEqual([false, 0]);
    expect(back().hasAttribute('src')).toBe(false);
  });

  test('for another video, which does not wait', () => {
    front().timeNow(10);
    replace(12);
    arrive();
    shown.player.prepare({ url: '/next' });
    back().showNow();
    expect(front().src).toContain('/next');
    expect(replaced).not.toHaveBeenCalled();
    vi.advanceTimersByTime(20_000);
    expect(front().src).toContain('/next');
  });
});

test('what was prepared to follow is prepared again after it', () => {
  shown.player.prepareNext({ url: '/next' });
  back().showNow();
  replace(0);
  expect(shown.facts.isNextReady).toBe(false);
  arrive();
  media.settle();
  expect(back().src).toContain('/next');
  shown.player.showNext();
  back().showNow();
  expect(front().src).toContain('/next');
});

test('without a decoder to spare nothing changes', () => {
  mediaBudget.setCapacity('decoder', 1);
  replace(0);
  expect([back().hasAttribute('src'), front().src]).toEqual([false, expect.stringContaining('/old')]);
  expect(mediaBudget.inUse('decoder')).toBe(1);
});

test('nothing is left behind by many of them', () => {
  const fetched = () => shown.videos.filter((video) => video.hasAttribute('src')).length;
  for (let times = 0; times < 20; times += 1) {
    replace(0);
    expect([fetched(), mediaBudget.inUse('decoder')]).toEqual([2, 2]);
    arrive();
    media.settle();
    expect([fetched(), mediaBudget.inUse('decoder'), shown.videos.length]).toEqual([1, 1, 2]);
  }
  expect(replaced).toHaveBeenCalledTimes(20);
});

test('nothing comes while the page is hidden', () => {
  shown.player.setHidden(true);
  replace(0);
  expect(back().hasAttribute('src')).toBe(false);
  shown.player.setHidden(false);
  expect([back().hasAttribute('src'), front().src]).toEqual([false, expect.stringContaining('/old')]);
});

test('an expanded one borrows the decoder of a covered one for a moment', () => {
  mediaBudget.setCapacity('decoder', 2);
  const granted = vi.fn();
  const revoked = vi.fn();
  const other = mediaBudget.request({ needs: ['decoder'], priority: 'quadrant', granted, revoked });
  replace(0, 'modal');
  expect([revoked.mock.calls.length, other.isHeld]).toEqual([1, false]);
  arrive();
  media.settle();
  expect([isHd(), granted.mock.calls.length, other.isHeld]).toEqual([true, 1, true]);
  const rival = mediaBudget.request({ needs: ['decoder'], priority: 'modal', granted: () => {}, revoked: () => {} });
  expect(rival.isHeld).toBe(true);
  for (const lease of [other, rival]) lease.release();
});
