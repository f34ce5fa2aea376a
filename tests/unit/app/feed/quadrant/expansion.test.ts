import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collapse, expand, feed } from '#app/features/feed/feed-state.ts';
import { setPaused } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FeedStage } from '../feed-stage.ts';

const back = vi.hoisted(() => ({ run: () => {}, close: vi.fn() }));

vi.mock('#app/platform/input/back-stack.ts', () => ({
  backStack: () => ({
    open: (onBack: () => void) => {
      back.run = onBack;
      return { close: back.close };
    },
  }),
}));

let stage: FeedStage;

beforeEach(async () => {
  stage = new FeedStage();
  await stage.play();
});

afterEach(() => stage.end());

const paused = () => quadrants.filter((quadrant) => stage.screen.layer(quadrant, 'front').paused);

test('an expanded quadrant plays on, and the other three pause after 2 s', async () => {
  expand('top-right');
  await stage.seconds(1.9);
  expect(paused()).toEqual([]);
  await stage.seconds(0.1);
  expect(paused()).toEqual(['top-left', 'bottom-left', 'bottom-right']);
});

test('Back leads to the grid, where all four play', async () => {
  expand('top-right');
  await stage.seconds(2);
  back.run();
  expect(feed.expanded).toBeNull();
  expect(paused()).toEqual([]);
});

test('whoever looks at one quadrant for a moment disturbs no other', async () => {
  expand('top-right');
  await stage.seconds(1);
  collapse();
  expect(back.close).toHaveBeenCalled();
  await stage.seconds(60);
  expect(paused()).toEqual([]);
});

test('a quadrant that the viewer paused stays paused', async () => {
  setPaused('bottom-left', true);
  expand('top-right');
  await stage.seconds(2);
  collapse();
  expect(paused()).toEqual(['bottom-left']);
});
