import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mediaBudget } from '#app/playback/media-budget.ts';
import type { FakeMedia } from '../fake-video.ts';
import { fakeMediaGlobals } from '../fake-video.ts';
import type { PlayerUnderTest } from '../player-under-test.ts';
import { openPlayer } from '../player-under-test.ts';

const acts = [
  'prepare',
  'prepareNext',
  'showNext',
  'dropNext',
  'cancel',
  'hide',
  'see',
  'leave',
  'return',
  'picture',
  'frames',
  'fail',
  'play',
  'pause',
] as const;

type Act = (typeof acts)[number];

let videosNamed = 0;

function nameVideo(): string {
  videosNamed += 1;
  return `/${videosNamed}`;
}

function act(media: FakeMedia, { player, layer }: PlayerUnderTest, name: Act): void {
  const url = nameVideo();
  const carrier = [layer('back'), layer('front')].find((video) => video.hasAttribute('src') && video.readyState < 2);
  const deeds: Record<Act, () => void> = {
    prepare: () => player.prepare({ url }),
    prepareNext: () => player.prepareNext({ url }),
    showNext: () => player.showNext(),
    dropNext: () => player.dropNext(),
    cancel: () => player.cancel(),
    hide: () => player.setHidden(true),
    see: () => player.setHidden(false),
    leave: () => player.suspend(),
    return: () => player.resume(),
    picture: () => carrier?.showNow(),
    frames: () => media.settle(),
    fail: () => carrier?.failNow(3),
    play: () => player.play(),
    pause: () => player.pause(),
  };
  deeds[name]();
}

const countSources = (media: FakeMedia) => media.videos.filter((video) => video.hasAttribute('src')).length;

test.each([6, 4, 2, 1])(
  'whatever happens to four players, never more sources are open than a device of %d shows, and a video that is asked for last comes',
  (decoders) => {
    const plan = fc.array(fc.tuple(fc.nat(3), fc.constantFrom(...acts)), { maxLength: 60 });
    fc.assert(
      fc.property(plan, (steps) => {
        const media = fakeMediaGlobals();
        mediaBudget.setCapacity('decoder', decoders);
        const four = Array.from({ length: 4 }, () => openPlayer());
        for (const [at, name] of steps) {
          act(media, four[at] as PlayerUnderTest, name);
          expect(countSources(media)).toBeLessThanOrEqual(decoders);
        }
        expectLastComes(media, four);
        for (const { player } of four) player.release();
        expect(countSources(media)).toBe(0);
        expect(mediaBudget.inUse('decoder')).toBe(0);
      }),
      { numRuns: 150 },
    );
  },
);

/** All others leave, so that there is a decoder for it. */
function expectLastComes(media: FakeMedia, [first, ...others]: PlayerUnderTest[]): void {
  for (const { player } of others) player.suspend();
  first?.player.resume();
  first?.player.setHidden(false);
  first?.player.prepare({ url: '/last' });
  media.settle();
  const back = first?.layer('back');
  expect(back?.src).toContain('/last');
  back?.showNow();
  media.settle();
  expect(first?.layer('front').src).toContain('/last');
  expect(first?.layer('back').hasAttribute('src')).toBe(false);
}
