import { afterEach, beforeEach, expect, test } from 'vitest';
import { leaveFeed, openFeed, returnToFeed } from '#app/features/feed/feed-store.ts';
import { setPinned } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { resetNavigation } from '#app/state/navigation.ts';
import { playInQuadrant } from '#app/state/view-requests.ts';
import { FeedStage } from '../feed-stage.ts';
import { feedVideo } from '../feed-video.ts';

let stage: FeedStage;

const { matching: _, ...chosen } = feedVideo('chosen');

beforeEach(() => {
  stage = new FeedStage();
});

afterEach(() => {
  stage.end();
  resetNavigation();
});

test('a video that was chosen elsewhere comes to its quadrant, which is pinned no more', async () => {
  await stage.play();
  setPinned('top-right', true);
  leaveFeed();
  playInQuadrant({ quadrant: 'top-right', video: chosen });
  returnToFeed();
  stage.screen.show('top-right');
  expect(stage.summary('top-right').shown?.id).toBe('chosen');
  expect(stage.summary('top-right').isPinned).toBe(false);
  expect(stage.shownIds().filter((id) => id === 'chosen')).toHaveLength(1);
});

test('it comes also where the feed has not been open yet', async () => {
  playInQuadrant({ quadrant: 'top-left', video: chosen });
  openFeed();
  await stage.arrive();
  stage.screen.show('top-left');
  expect(stage.summary('top-left').shown?.id).toBe('chosen');
});
