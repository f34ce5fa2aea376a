import { afterEach, beforeEach, expect, test } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { canMove, move } from '#app/features/feed/quadrant/move.ts';
import { setPinned } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { FeedStage } from '../feed-stage.ts';

let stage: FeedStage;

beforeEach(async () => {
  stage = new FeedStage();
  await stage.play();
});

afterEach(() => stage.end());

test('two quadrants exchange their videos, each at its second, and nobody is asked for one', async () => {
  const [here, there, ...others] = stage.shownIds();
  stage.screen.layer('top-left', 'front').timeNow(12);
  stage.screen.layer('top-right', 'front').timeNow(34);
  const asked = stage.library.asks.length;

  move('top-left', 'top-right');

  expect(stage.summary('top-left')).toMatchObject({ coming: { id: there }, comingAt: 34 });
  expect(stage.summary('top-right')).toMatchObject({ coming: { id: here }, comingAt: 12 });
  stage.screen.layer('top-left', 'back').metadataNow();
  stage.screen.layer('top-right', 'back').metadataNow();
  stage.screen.show('top-left', 'top-right');
  expect(stage.shownIds()).toEqual([there, here, ...others]);
  expect(stage.library.asks).toHaveLength(asked);
});

test('a second move before the first one is on screen loses no video and shows none twice', () => {
  const before = stage.shownIds();
  stage.screen.layer('top-right', 'front').timeNow(34);
  move('top-left', 'top-right');
  move('top-left', 'bottom-left');
  expect(stage.summary('bottom-left')).toMatchObject({ coming: { id: before[1] }, comingAt: 34 });
  for (const quadrant of ['top-left', 'top-right', 'bottom-left'] as const) {
    stage.screen.layer(quadrant, 'back').metadataNow();
    stage.screen.show(quadrant);
  }
  expect(stage.shownIds()).toEqual([before[2], before[0], before[1], before[3]]);
});

test('a pin goes with its video', () => {
  setPinned('top-left', true);
  move('top-left', 'bottom-right');
  stage.screen.show('top-left', 'bottom-right');
  expect(stage.summary('top-left').isPinned).toBe(false);
  expect(stage.summary('bottom-right').isPinned).toBe(true);
  expect(stage.screen.layer('bottom-right', 'front').loop).toBe(true);
  expect(stage.screen.layer('top-left', 'front').loop).toBe(false);
});

test('a quadrant without a video keeps out of it', () => {
  const before = stage.shownIds();
  feed.quadrants['bottom-left'].shown = null;
  move('top-left', 'bottom-left');
  expect(stage.summary('top-left')).toMatchObject({ shown: { id: before[0] }, coming: null });
});

test('pictures can change places while all four are in sight with a video', () => {
  expect(canMove(feed)).toBe(true);
  expect(canMove({ ...feed, expanded: 'top-right' })).toBe(false);
  feed.quadrants['bottom-left'].shown = null;
  expect(canMove(feed)).toBe(false);
});
