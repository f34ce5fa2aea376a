import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { leaveFeed, openFeed, returnToFeed, startAll } from '#app/features/feed/feed-store.ts';
import { skip, skipBack } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { connection } from '#app/state/connection.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { User } from '#contract/entities/user.ts';
import { quadrants } from '#contract/quadrants.ts';
import { person } from '../../state/people.ts';
import { noneAtAll, notYet } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

let stage: FeedStage;

beforeEach(() => {
  stage = new FeedStage();
});

afterEach(() => {
  stage.end();
  resetSession();
});

test('while four videos play, four others are prepared, and all eight are different', async () => {
  await stage.play();
  const all = [...stage.shownIds(), ...stage.nextIds()];
  expect(new Set(all).size).toBe(8);
  expect(all).not.toContain(undefined);
});

test('before the first tap nothing is prepared', async () => {
  openFeed();
  await stage.arrive();
  stage.screen.show(...quadrants);
  await stage.seconds(10);
  expect(stage.nextIds()).toEqual([undefined, undefined, undefined, undefined]);
});

test('skip shows the prepared video at once, and has the one after it prepared', async () => {
  await stage.play();
  const prepared = stage.summary('top-left').next?.id;
  stage.screen.makeReady('top-left');
  skip('top-left');
  expect(stage.summary('top-left').shown?.id).toBe(prepared);
  stage.screen.settle();
  stage.screen.layer('top-left', 'front').timeNow(1);
  await stage.arrive();
  expect(stage.summary('top-left').next?.id).not.toBe(prepared);
  expect(stage.summary('top-left').next).not.toBeNull();
});

test('a prepared video that has no picture yet comes with its first one', async () => {
  await stage.play();
  const { shown, next } = stage.summary('top-left');
  skip('top-left');
  expect(stage.summary('top-left').shown?.id).toBe(shown?.id);
  stage.screen.show('top-left');
  expect(stage.summary('top-left').shown?.id).toBe(next?.id);
});

test('at the end of a video the prepared one follows', async () => {
  await stage.play();
  const prepared = stage.summary('top-right').next?.id;
  stage.screen.makeReady('top-right');
  stage.screen.layer('top-right', 'front').endNow();
  expect(stage.summary('top-right').shown?.id).toBe(prepared);
});

test('a skip while the next video is asked for shows the answer, and asks no second time', async () => {
  stage.library.answer = ({ exclude }) => (exclude.length > 3 ? { json: notYet } : undefined);
  await stage.play();
  stage.library.answer = null;
  stage.library.hold();
  await stage.seconds(5);
  const asked = stage.library.asksOf('top-left').length;
  skip('top-left');
  expect(stage.summary('top-left').isAsking).toBe(true);
  stage.library.letGo();
  await stage.arrive();
  expect(stage.summary('top-left').coming).not.toBeNull();
  expect(stage.library.asksOf('top-left')).toHaveLength(asked);
});

test('a pick avoids what the others have prepared', async () => {
  await stage.play();
  stage.screen.makeReady('top-left');
  skip('top-left');
  stage.screen.settle();
  stage.screen.layer('top-left', 'front').timeNow(1);
  await stage.arrive();
  const asks = stage.library.asksOf('top-left');
  expect(asks[asks.length - 1]?.exclude).toEqual(expect.arrayContaining(stage.nextIds().slice(1)));
});

test('of nine videos none is prepared: chance would have no choice', async () => {
  stage.library.videos = 'abcdefghi'.split('');
  await stage.play();
  expect(stage.nextIds()).toEqual([undefined, undefined, undefined, undefined]);
});

test('a failed question for the next video says nothing, and is asked again after 5 s', async () => {
  stage.library.answer = ({ exclude }) => (exclude.length > 3 ? noneAtAll : undefined);
  await stage.play();
  expect(stage.summary('top-left')).toMatchObject({ failure: null, isDownloading: false, next: null });
  stage.library.answer = null;
  await stage.seconds(4.9);
  expect(stage.summary('top-left').next).toBeNull();
  await stage.seconds(0.1);
  expect(stage.summary('top-left').next).not.toBeNull();
});

test('a prepared video that gives no picture is never seen, and another one is prepared after 2 s', async () => {
  await stage.play();
  const { shown, next } = stage.summary('top-left');
  stage.screen.layer('top-left', 'back').failNow(4);
  expect(stage.summary('top-left')).toMatchObject({ failure: null, next: null, shown: { id: shown?.id } });
  expect(feed.broken.map(({ id }) => id)).toEqual([next?.id]);
  await stage.seconds(2);
  expect(stage.summary('top-left').next?.id).not.toBe(next?.id);
  expect(stage.summary('top-left').next).not.toBeNull();
});

test('a video that gave no picture is drawn again after ten minutes', async () => {
  await stage.play();
  const broken = stage.summary('top-left').next?.id;
  stage.screen.layer('top-left', 'back').failNow(4);
  await stage.seconds(9 * 60);
  expect(feed.broken.map(({ id }) => id)).toEqual([broken]);
  await stage.seconds(60);
  expect(feed.broken).toEqual([]);
});

test('a video that broke and plays after a skip back is drawn like any other', async () => {
  await stage.play();
  const broken = stage.summary('top-left').shown?.id;
  stage.screen.layer('top-left', 'front').failNow(3);
  await stage.seconds(2);
  stage.screen.show('top-left');
  expect(feed.broken.map(({ id }) => id)).toEqual([broken]);
  skipBack('top-left');
  stage.screen.show('top-left');
  expect(stage.summary('top-left').shown?.id).toBe(broken);
  expect(feed.broken).toEqual([]);
});

test('whoever skips a broken video before its 2 s are over sees one other video, not two', async () => {
  await stage.play();
  const prepared = stage.summary('top-left').next?.id;
  stage.screen.makeReady('top-left');
  stage.screen.layer('top-left', 'front').failNow(3);
  skip('top-left');
  expect(stage.summary('top-left')).toMatchObject({ failure: null, shown: { id: prepared } });
  await stage.seconds(10);
  expect(stage.summary('top-left')).toMatchObject({ coming: null, shown: { id: prepared } });
});

test('a broken video is followed by another one although the prepared one breaks as well', async () => {
  await stage.play();
  const { shown } = stage.summary('top-left');
  stage.screen.layer('top-left', 'front').failNow(3);
  stage.screen.layer('top-left', 'back').failNow(4);
  await stage.seconds(2);
  stage.screen.show('top-left');
  expect(stage.summary('top-left').failure).toBeNull();
  expect(stage.summary('top-left').shown?.id).not.toBe(shown?.id);
});

test('without a network nothing is prepared, and with one again it is', async () => {
  await stage.play();
  connection.isReachable = false;
  await stage.arrive();
  expect(stage.nextIds()).toEqual([undefined, undefined, undefined, undefined]);
  await stage.seconds(60);
  expect(stage.nextIds()).toEqual([undefined, undefined, undefined, undefined]);
  connection.isReachable = true;
  await stage.arrive();
  expect(stage.nextIds()).not.toContain(undefined);
});

test('a hidden tab asks for nothing', async () => {
  stage.library.videos = [];
  await stage.play();
  const asked = stage.library.asks.length;
  stage.screen.hide(true);
  await stage.seconds(120);
  expect(stage.library.asks).toHaveLength(asked);
  stage.screen.hide(false);
  expect(stage.library.asks).toHaveLength(asked + 4);
});

test('what was prepared when the feed was left is shown by the first skip after the return', async () => {
  await stage.play();
  const prepared = stage.summary('top-left').next?.id;
  leaveFeed();
  returnToFeed();
  skip('top-left');
  expect(stage.summary('top-left').coming?.id).toBe(prepared);
});

test('what was prepared for somebody else is dropped when a person signs in or out, and not at news of the same one', async () => {
  const setPerson = async (user: User | null) => {
    Object.assign(session, { phase: 'known', user });
    await stage.arrive();
  };
  await stage.play();
  const prepared = stage.nextIds();
  await setPerson(null);
  expect(stage.nextIds()).toEqual(prepared);
  const countAsked = async (user: User | null) => {
    const before = stage.library.asks.length;
    await setPerson(user);
    return stage.library.asks.length - before;
  };
  expect(await countAsked(person())).toBeGreaterThanOrEqual(quadrants.length);
  expect(await countAsked(person('pro'))).toBe(0);
  expect(await countAsked(person('pro', { display_name: 'Mara' }))).toBe(0);
  expect(await countAsked(null)).toBeGreaterThanOrEqual(quadrants.length);
  expect(stage.nextIds()).not.toContain(undefined);
});

test('the first tap lets both layers of each quadrant play, whichever comes to the front later', async () => {
  openFeed();
  await stage.arrive();
  stage.screen.show(...quadrants);
  const elements = quadrants.flatMap((quadrant) => [
    stage.screen.layer(quadrant, 'front'),
    stage.screen.layer(quadrant, 'back'),
  ]);
  const plays = elements.map((element) => vi.spyOn(element, 'play'));
  startAll();
  for (const play of plays) expect(play).toHaveBeenCalled();
  for (const quadrant of quadrants)
    expect([stage.screen.layer(quadrant, 'front').paused, stage.screen.layer(quadrant, 'back').paused]).toEqual([
      false,
      true,
    ]);
});
