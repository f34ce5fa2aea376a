import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { move } from '#app/features/feed/quadrant/move.ts';
import { quadrantMarks, skipByPointer, undoSkip } from '#app/features/feed/quadrant/quadrant-gestures.tsx';
import { machines, skip, skipBack } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { FeedStage } from '../feed-stage.ts';

let stage: FeedStage;

beforeEach(async () => {
  stage = new FeedStage();
  await stage.play();
});

afterEach(() => stage.end());

const topLeft = () => stage.summary('top-left');

async function skipOn(): Promise<string | undefined> {
  skip('top-left');
  await stage.arrive();
  stage.screen.show('top-left');
  await stage.arrive();
  return topLeft().shown?.id;
}

async function skipBackOn(): Promise<string | undefined> {
  skipBack('top-left');
  stage.screen.show('top-left');
  await stage.arrive();
  return topLeft().shown?.id;
}

test('skip back brings the last video back, and the one before it', async () => {
  const first = topLeft().shown?.id;
  const second = await skipOn();
  await skipOn();
  expect(await skipBackOn()).toBe(second);
  expect(await skipBackOn()).toBe(first);
});

test('after a skip back, skip leads to the video that was left', async () => {
  await skipOn();
  const second = topLeft().shown?.id;
  await skipBackOn();
  expect(topLeft().next?.id).toBe(second);
  expect(await skipOn()).toBe(second);
});

test('two presses before a picture has come lead two back', async () => {
  const first = topLeft().shown?.id;
  await skipOn();
  await skipOn();
  skipBack('top-left');
  skipBack('top-left');
  stage.screen.show('top-left');
  expect(topLeft().shown?.id).toBe(first);
  expect(topLeft().past).toEqual([]);
});

test('the history holds ten', async () => {
  stage.library.videos = Array.from({ length: 60 }, (_, number) => `video-${number}`);
  for (let skips = 0; skips < 14; skips += 1) await skipOn();
  expect(topLeft().past).toHaveLength(10);
});

test('a quadrant that has shown one video has nowhere to go back to', async () => {
  const { shown } = topLeft();
  skipBack('top-left');
  expect(topLeft()).toMatchObject({ coming: null, shown: { id: shown?.id } });
});

test('a video that another quadrant shows meanwhile is passed over', async () => {
  const first = topLeft().shown?.id;
  const second = await skipOn();
  await skipOn();
  const other = feed.quadrants['top-right'];
  other.shown = { ...(other.shown as NonNullable<typeof other.shown>), id: second ?? '' };
  expect(await skipBackOn()).toBe(first);
});

test('skip back leads to the second at which each video was skipped', async () => {
  const front = () => stage.screen.layer('top-left', 'front');
  front().timeNow(7);
  await skipOn();
  front().timeNow(3);
  await skipOn();
  await skipBackOn();
  expect(front().currentTime).toBe(3);
  await skipBackOn();
  expect(front().currentTime).toBe(7);
});

test('a skip by touch can be undone for four seconds, one by keys has a key', async () => {
  Object.assign(document.documentElement, { dataset: { input: 'touch' } });
  const first = topLeft().shown?.id;
  skipByPointer('top-left');
  await stage.arrive();
  expect(quadrantMarks['top-left'].canUndo).toBe(true);
  await stage.seconds(3.9);
  undoSkip('top-left');
  expect([quadrantMarks['top-left'].canUndo, topLeft().coming?.id ?? topLeft().shown?.id]).toEqual([false, first]);
  skipByPointer('top-left');
  await stage.seconds(4);
  expect(quadrantMarks['top-left'].canUndo).toBe(false);
  Object.assign(document.documentElement, { dataset: { input: 'remote' } });
  skipByPointer('top-left');
  expect(quadrantMarks['top-left'].canUndo).toBe(false);
});

describe('a skip that is undone before another video has come', () => {
  beforeEach(() => {
    Object.assign(document.documentElement, { dataset: { input: 'touch' } });
    stage.library.hold();
    // The prepared one is shown first; the one after it is still to be picked.
    skipByPointer('top-left');
    stage.screen.show('top-left');
    skipByPointer('top-left');
  });

  test('brings its own video back', () => {
    const { shown } = topLeft();
    undoSkip('top-left');
    expect(topLeft().coming?.id).toBe(shown?.id);
  });

  test('brings no video back that a new filter does not want', () => {
    machines['top-left'].send({ type: 'filter', filter: { tagIds: ['red'], mode: 'OR' } });
    undoSkip('top-left');
    expect(topLeft()).toMatchObject({ coming: null, isAsking: true });
  });

  test('brings no video back that has moved to another quadrant', () => {
    const { shown } = topLeft();
    move('top-left', 'top-right');
    undoSkip('top-left');
    expect(stage.summary('top-right').coming?.id).toBe(shown?.id);
    expect(topLeft().coming?.id).not.toBe(shown?.id);
  });
});
