import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import type { QuadrantState } from '#app/features/feed/quadrant/quadrant.ts';
import { initialQuadrant } from '#app/features/feed/quadrant/quadrant.ts';
import { setPinned, skip } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { reduceQuadrant } from '#app/features/feed/quadrant/quadrant-reducer.ts';
import type { PlayerError } from '#app/playback/player/source-loading.ts';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import { limits } from '#contract/limits.ts';
import { toNeedBits } from '#contract/rules/media-needs.ts';
import type { PickAnswer } from '../fake-library.ts';
import { picked } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';
import { feedVideo } from '../feed-video.ts';

const hevc = [{ name: 'source' as const, bytes: 1, width: 1920, height: 1080, needs: toNeedBits(['hevc']) }];
const signed = (id: string) => feedVideo(id, { url: `/stream/${id}?expires=9&signature=s` });
const demanding = { ...signed('old'), renditions: hevc };

// A file that is loaded in the middle of a test takes real time.
beforeAll(() => import('#app/features/feed/supply/address-again.ts'));

describe('a failure is followed by a question for another address', () => {
  const showing = (state: Partial<QuadrantState> = {}): QuadrantState => ({
    ...initialQuadrant(),
    isSeen: true,
    shown: signed('old'),
    next: feedVideo('next'),
    ...state,
  });
  const coming = { kind: 'coming', video: signed('new'), at: 3, back: false } as const;
  const asking = { kind: 'asking', for: 'screen', after: null } as const;

  test.each<[string, Partial<QuadrantState>, PlayerError, string | null, number]>([
    ['of what plays and is cut off', {}, 'network', 'old', 7],
    ['of what plays and is refused', {}, 'unsupported', 'old', 7],
    ['of what plays and cannot be decoded', {}, 'decode', null, 0],
    ['of a demanding file that cannot be decoded', { shown: demanding }, 'decode', 'old', 7],
    ['of a demanding file that shows nothing', { shown: demanding }, 'no-picture', 'old', 7],
    ['of what is to come', { activity: coming }, 'unsupported', 'new', 3],
    ['of a pinned one', { pinned: { video: signed('old'), failures: 0, at: 0 } }, 'network', 'old', 7],
    ['of one whose address is not signed', { shown: feedVideo('old') }, 'network', null, 0],
    ['while another one is asked for', { activity: asking }, 'network', null, 0],
    ['of one that has moved to another quadrant', { isGivenAway: true }, 'network', null, 0],
    ['out of sight', { isSeen: false }, 'network', null, 0],
  ])('%s', (_, state, error, id, at) => {
    const [next, effects] = reduceQuadrant(showing(state), { type: 'failed', error, at: 7 }, 0);
    const asked = effects.flatMap((effect) => (effect.type === 'ask-address' ? [effect] : []))[0];
    expect(asked ? [asked.type, asked.video.id, asked.at] : null).toEqual(id === null ? null : ['ask-address', id, at]);
    if (id !== null) expect(next).toMatchObject({ activity: { kind: 'coming', video: { id }, at }, next: null });
  });

  test('only once: without another address it is an error, as it always was', () => {
    const [asked] = reduceQuadrant(showing(), { type: 'failed', error: 'network', at: 7 }, 0);
    const [failed] = reduceQuadrant(asked, { type: 'failed', error: 'network', at: 7, isFinal: true }, 0);
    expect(failed.activity).toMatchObject({
      kind: 'waiting',
      reason: 'video-error',
      until: limits.retryVideoErrorSeconds * 1000,
    });
  });

  test('an address that comes after the viewer has gone on brings nothing to the screen', () => {
    const [asked] = reduceQuadrant(showing(), { type: 'failed', error: 'network', at: 7 }, 0);
    const [skipped] = reduceQuadrant(asked, { type: 'skip' }, 0);
    expect(reduceQuadrant(skipped, { type: 'addressed', video: signed('old') }, 0)).toEqual([
      { ...skipped, shown: signed('old') },
      [],
    ]);
  });
});

describe('in the feed', () => {
  let stage: FeedStage;
  /** What was asked of the server, and its answer. */
  let questions: { path: string; quality?: string }[];
  let answer: PickAnswer;
  /** Questions count for a minute. */
  let minutes = 0;

  beforeEach(() => {
    stage = new FeedStage();
    minutes += 2;
    vi.setSystemTime(Date.now() + minutes * 60_000);
    const library = globalThis.fetch;
    questions = [];
    answer = {
      json: { url: '/stream/again?expires=9999999999', rendition: 'grid', width: 960, height: 540, bitrate_bps: 1 },
    };
    vi.stubGlobal('fetch', async (address: string, options: RequestInit) => {
      if (!address.endsWith('/video-url')) return library(address, options);
      questions.push(JSON.parse(String(options.body)));
      if (answer === 'away') throw new TypeError('Failed to fetch');
      return new Response(JSON.stringify(answer.json), { status: answer.status ?? 200 });
    });
    Object.assign(document, { createElement: withCanPlayType(document.createElement) });
  });

  afterEach(() => stage.end());

  const topLeft = () => stage.summary('top-left');
  const front = () => stage.screen.layer('top-left', 'front');
  const back = () => stage.screen.layer('top-left', 'back');

  /** Videos with an address that holds for some hours, unless it has run out already. */
  async function play(seconds = 3_600, parts: object = {}): Promise<void> {
    stage.library.answer = ({ exclude }) => {
      const id = stage.library.videos.find((one) => !exclude.includes(one)) ?? 'a';
      const expires = Math.floor(Date.now() / 1000) + seconds;
      return { json: { ...picked(id, 16), url: `/stream/${id}?expires=${expires}`, ...parts } };
    };
    await stage.play();
  }

  test('a video whose bytes are cut off goes on at its second, and nothing is said', async () => {
    await play();
    const { shown } = topLeft();
    front().timeNow(17);
    front().failNow(2);
    await stage.arrive();
    expect(questions).toEqual([{ path: shown?.path, quadrant: 'top-left', quality: 'source' }]);
    expect(topLeft()).toMatchObject({ failure: null, coming: { id: shown?.id, rendition: 'grid' }, comingAt: 17 });
    stage.screen.show('top-left');
    expect(front().src).toContain('/stream/again');
    expect(topLeft()).toMatchObject({ coming: null, shown: { id: shown?.id }, past: [] });
  });

  test('after two questions within a minute it is an error; the second leaves the choice to the server', async () => {
    await play();
    for (const _ of [1, 2, 3]) {
      front().failNow(2);
      await stage.arrive();
      stage.screen.show('top-left');
    }
    expect(questions.map(({ quality }) => quality)).toEqual(['source', undefined]);
    expect(topLeft().failure).toBe('video-error');
    await stage.seconds(limits.retryVideoErrorSeconds);
    expect(topLeft().coming).not.toBeNull();
  });

  test('where the server has none either, the error is told and another video follows after 2 s', async () => {
    await play();
    const { shown } = topLeft();
    answer = { status: 404, json: { error: 'video_not_found', message: 'Not found' } };
    front().failNow(2);
    await stage.arrive();
    expect(topLeft()).toMatchObject({ failure: 'video-error', shown: { id: shown?.id } });
    await stage.seconds(limits.retryVideoErrorSeconds);
    expect(topLeft().coming?.id).not.toBe(shown?.id);
  });

  test.each<[string, number, object, number, boolean]>([
    ['a signature that has run out', -1, {}, 4, true],
    ['an encoding that is gone', 3_600, { rendition: 'grid' }, 4, true],
    ['a file that may ask too much', 3_600, { renditions: hevc }, 3, true],
    ['a plain file that is refused', 3_600, {}, 4, false],
    ['bytes that never come', 3_600, {}, 2, false],
  ])('before its first frame: %s', async (_, seconds, parts, code, isAsked) => {
    await play();
    await play(seconds, parts);
    skip('top-left');
    skip('top-left');
    await stage.arrive();
    back().failNow(code);
    await stage.arrive();
    await stage.arrive();
    expect(questions).toHaveLength(isAsked ? 1 : 0);
    expect(topLeft().failure).toBe(isAsked ? null : 'video-error');
  });

  test('a pinned video keeps its pin and its new address', async () => {
    await play();
    setPinned('top-left', true);
    front().failNow(2);
    await stage.arrive();
    stage.screen.show('top-left');
    expect(topLeft()).toMatchObject({ isPinned: true, pinnedFailures: 0 });
    answer = 'away';
    front().failNow(3);
    await stage.seconds(limits.retryVideoErrorSeconds);
    expect(back().src).toContain('/stream/again');
  });

  test.each<[string, number]>([
    ['', 0],
    [' and this device has saved others', 3],
  ])('a pinned video whose network goes%s is waited for, and goes on at its second', async (_, playable) => {
    await play();
    savedNotice.playable = playable;
    const { shown } = topLeft();
    setPinned('top-left', true);
    answer = 'away';
    front().timeNow(17);
    front().failNow(2);
    await stage.arrive();
    expect(topLeft()).toMatchObject({ isPinned: true, failure: 'no-network', coming: null });
    await stage.seconds(limits.retryFailedLoadSeconds);
    expect(topLeft()).toMatchObject({ isPinned: true, isAsking: false, coming: { id: shown?.id }, comingAt: 17 });
    stage.screen.show('top-left');
    expect(topLeft()).toMatchObject({ isPinned: true, shown: { id: shown?.id }, failure: null });
  });

  test('a prepared video whose signature has expired meanwhile is as good as before', async () => {
    await play(120);
    const { next } = topLeft();
    await stage.seconds(100);
    back().failNow(4);
    await stage.arrive();
    expect(topLeft().next).toBeNull();
    expect(feed.broken).toEqual([]);
    await stage.seconds(limits.retryVideoErrorSeconds);
    expect(topLeft().next?.id).not.toBe(next?.id);
  });

  test('what a device does not play although it says so is not given again, nor what was prepared of that kind', async () => {
    await play(3_600, { renditions: hevc });
    back().failNow(4);
    await stage.arrive();
    await vi.dynamicImportSettled();
    expect(document.cookie).toMatch(/^plays=/);
  });
});

function withCanPlayType(createElement: typeof document.createElement) {
  return (name: string) => Object.assign(createElement.call(document, name), { canPlayType: () => 'probably' });
}
