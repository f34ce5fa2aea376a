import { afterEach, beforeEach, expect, test } from 'vitest';
import { leaveFeed, openFeed, returnToFeed } from '#app/features/feed/feed-store.ts';
import { move } from '#app/features/feed/quadrant/move.ts';
import { setPinned, skip, skipBack, togglePin } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { FeedStage } from '../feed-stage.ts';

let stage: FeedStage;

beforeEach(async () => {
  stage = new FeedStage();
  await stage.play();
});

afterEach(() => stage.end());

const topLeft = () => stage.summary('top-left');

test('a pinned quadrant keeps its video when the interval passes, and loops it', async () => {
  const { shown } = topLeft();
  setPinned('top-left', true);
  await stage.seconds(300);
  expect(topLeft()).toMatchObject({ shown: { id: shown?.id }, coming: null });
  expect(stage.screen.layer('top-left', 'front').loop).toBe(true);
});

test('a pinned quadrant ignores skip and skip back', async () => {
  stage.screen.makeReady('top-left');
  skip('top-left');
  const { shown } = topLeft();
  setPinned('top-left', true);
  skip('top-left');
  skipBack('top-left');
  await stage.arrive();
  expect(topLeft()).toMatchObject({ shown: { id: shown?.id }, coming: null, isAsking: false });
});

test('a pin drops the prepared video, and nothing is prepared while it holds', async () => {
  const prepared = topLeft().next?.id;
  setPinned('top-left', true);
  expect(topLeft().next).toBeNull();
  expect(stage.screen.sources()).not.toContain(`/stream/${prepared}`);
  const asked = stage.library.asksOf('top-left').length;
  await stage.seconds(60);
  expect(stage.library.asksOf('top-left')).toHaveLength(asked);
});

test('a pin keeps what is on screen, although another video was on its way', async () => {
  const { shown } = topLeft();
  skip('top-left');
  togglePin('top-left');
  await stage.seconds(1);
  expect(topLeft()).toMatchObject({ shown: { id: shown?.id }, coming: null });
});

test('a video that is pinned at its end, before another one has come, begins anew', async () => {
  const { shown } = topLeft();
  const front = stage.screen.layer('top-left', 'front');
  front.endNow();
  setPinned('top-left', true);
  await stage.arrive();
  expect(topLeft()).toMatchObject({ isPinned: true, coming: null, shown: { id: shown?.id } });
  expect(front).toMatchObject({ loop: true, paused: false, currentTime: 0 });
});

test('a pinned video that has come to its end before its first frame was on screen begins anew', async () => {
  const { shown } = topLeft();
  setPinned('top-left', true);
  move('top-left', 'top-right');
  const back = stage.screen.layer('top-right', 'back');
  back.metadataNow();
  back.pictureNow();
  back.endNow();
  back.presentNow();
  stage.screen.settle();
  expect(stage.summary('top-right')).toMatchObject({ isPinned: true, shown: { id: shown?.id } });
  expect(back).toMatchObject({ loop: true, paused: false, currentTime: 0 });
});

test('an unpinned quadrant starts a full interval, and prepares its next video', async () => {
  await stage.seconds(100);
  setPinned('top-left', true);
  await stage.seconds(1000);
  setPinned('top-left', false);
  await stage.arrive();
  expect(topLeft().next).not.toBeNull();
  await stage.seconds(119.9);
  expect(topLeft().coming).toBeNull();
  await stage.seconds(0.1);
  expect(topLeft().coming).not.toBeNull();
});

test('a quadrant without a picture cannot be pinned', () => {
  stage.end();
  stage = new FeedStage();
  openFeed();
  setPinned('top-left', true);
  expect(topLeft().isPinned).toBe(false);
});

test('a pinned video that breaks is loaded again after 2 s, where it was', async () => {
  const { shown } = topLeft();
  setPinned('top-left', true);
  stage.screen.layer('top-left', 'front').timeNow(17);
  stage.screen.layer('top-left', 'front').failNow(2);
  expect(topLeft().failure).toBe('video-error');
  await stage.seconds(2);
  expect(topLeft()).toMatchObject({ failure: null, coming: { id: shown?.id }, comingAt: 17 });
  stage.screen.show('top-left');
  expect(topLeft()).toMatchObject({ isPinned: true, shown: { id: shown?.id }, coming: null });
});

test('the third failure of a pinned video unpins it, and another one follows', async () => {
  const { shown } = topLeft();
  setPinned('top-left', true);
  stage.screen.layer('top-left', 'front').failNow(3);
  for (const _ of [2, 3]) {
    await stage.seconds(2);
    expect(topLeft().isPinned).toBe(true);
    stage.screen.layer('top-left', 'back').failNow(3);
  }
  expect(topLeft()).toMatchObject({ isPinned: false, failure: 'video-error' });
  await stage.seconds(2);
  expect(topLeft().coming?.id).not.toBe(shown?.id);
  expect(topLeft().coming).not.toBeNull();
});

test('a pinned video that broke is loaded again after another view was open', async () => {
  const { shown } = topLeft();
  setPinned('top-left', true);
  stage.screen.layer('top-left', 'front').failNow(2);
  leaveFeed();
  await stage.seconds(60);
  returnToFeed();
  expect(topLeft()).toMatchObject({ isPinned: true, coming: { id: shown?.id } });
});

test('a video that is pinned in the two seconds after it broke is the one that is loaded again', async () => {
  const { shown } = topLeft();
  stage.screen.layer('top-left', 'front').failNow(3);
  await stage.seconds(1);
  setPinned('top-left', true);
  expect(topLeft()).toMatchObject({ isPinned: true, failure: 'video-error' });
  await stage.seconds(2);
  expect(topLeft()).toMatchObject({ failure: null, coming: { id: shown?.id } });
  stage.screen.show('top-left');
  expect(topLeft()).toMatchObject({ isPinned: true, shown: { id: shown?.id }, coming: null });
});

test.each([
  ['another one that was on its way has just broken', () => stage.screen.layer('top-left', 'back').failNow(3)],
  ['the question for another one has just failed', () => {}],
])('a video that is pinned stays, although %s', async (_, fail) => {
  const { shown } = topLeft();
  skip('top-left');
  fail();
  await stage.seconds(1);
  setPinned('top-left', true);
  await stage.seconds(10);
  expect(topLeft()).toMatchObject({ isPinned: true, failure: null, coming: null, shown: { id: shown?.id } });
});

test('the failures of a pinned video are counted anew once it has played on', async () => {
  setPinned('top-left', true);
  for (const second of [3, 3, 20, 40, 60]) {
    stage.screen.layer('top-left', 'front').timeNow(second);
    stage.screen.layer('top-left', 'front').failNow(3);
    await stage.seconds(2);
    expect(topLeft()).toMatchObject({ isPinned: true, failure: null });
    stage.screen.layer('top-left', 'back').metadataNow();
    stage.screen.show('top-left');
  }
});
