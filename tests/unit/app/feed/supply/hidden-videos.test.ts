import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { leaveFeed, watchHidden } from '#app/features/feed/feed-store.ts';
import { setPinned, skip } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { recovered } from '#app/platform/link.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { picked } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

let stage: FeedStage;
let stop = () => {};

beforeEach(() => {
  stage = new FeedStage();
});

afterEach(() => {
  stop();
  stage.end();
});

/** The file that asks is loaded when it is first needed. */
async function arrive(): Promise<void> {
  await vi.dynamicImportSettled();
  await stage.seconds(1);
}

async function play(): Promise<void> {
  await stage.play();
  stop = watchHidden();
  await arrive();
}

async function hearOfChange(): Promise<void> {
  recovered.emit();
  await arrive();
}

test('the feed asks about what it shows and has prepared', async () => {
  await play();
  const ids = [...stage.shownIds(), ...stage.nextIds()];
  expect(stage.library.hiddenAsks.map((asked) => asked.sort())).toEqual([ids.sort()]);
});

test('a hidden video is on no screen when the answer has come, and the prepared one follows', async () => {
  await play();
  const [hidden = '', ...others] = stage.shownIds();
  const [next] = stage.nextIds();
  stage.library.hidden = [hidden];
  stage.screen.makeReady('top-left');
  await hearOfChange();
  stage.screen.settle();
  expect(stage.shownIds()).toEqual([next, ...others]);
  expect(stage.screen.sources()).not.toContain(`/stream/${hidden}`);
});

test('it leaves the screen even where nothing follows', async () => {
  await play();
  const hidden = stage.shownIds()[0] ?? '';
  setPinned('top-left', true);
  stage.library.hidden = [hidden];
  stage.library.answer = () => 'away';
  await hearOfChange();
  expect(stage.summary('top-left')).toMatchObject({ shown: null, isPinned: false, failure: 'no-network' });
  expect(stage.screen.sources()).not.toContain(`/stream/${hidden}`);
});

test('a prepared one is replaced without a word', async () => {
  await play();
  const [hidden = ''] = stage.nextIds();
  const shown = stage.shownIds();
  stage.library.videos = stage.library.videos.filter((id) => id !== hidden);
  stage.library.hidden = [hidden];
  await hearOfChange();
  expect(stage.shownIds()).toEqual(shown);
  expect(stage.nextIds()[0]).not.toBe(hidden);
  expect(stage.nextIds()[0]).toBeDefined();
});

test('however often something changes, it asks once a second', async () => {
  await play();
  for (let times = 0; times < 5; times += 1) await hearOfChange();
  const before = stage.library.hiddenAsks.length;
  for (let times = 0; times < 5; times += 1) recovered.emit();
  await stage.seconds(0.9);
  expect(stage.library.hiddenAsks.length - before).toBeLessThanOrEqual(1);
  await stage.seconds(5);
  expect(stage.library.hiddenAsks.length - before).toBe(1);
});

test('while a video is on screen that the viewer may lose, the feed asks again and again', async () => {
  stage.library.answer = ({ exclude }) => {
    const id = stage.library.videos.find((video) => !exclude.includes(video)) ?? '';
    return { json: { ...picked(id, 9), restricted: true } };
  };
  await stage.play();
  await vi.dynamicImportSettled();
  await stage.seconds(1);
  const [lost = '', ...others] = stage.shownIds();
  setPinned('top-left', true);
  stage.library.hidden = [lost];
  await stage.seconds(4);
  expect(stage.shownIds()).not.toContain(lost);
  expect(stage.shownIds().slice(1)).toEqual(others);
});

test('a question without an answer is asked again with the next change', async () => {
  await play();
  const hidden = stage.shownIds()[0] ?? '';
  stage.library.hidden = [hidden];
  stage.library.isHiddenSilent = true;
  await hearOfChange();
  expect(stage.shownIds()[0]).toBe(hidden);
  stage.library.isHiddenSilent = false;
  await hearOfChange();
  expect(stage.shownIds()[0]).not.toBe(hidden);
});

test('it asks about no more than may be asked, what is shown first', async () => {
  await play();
  for (let rounds = 0; rounds < 4; rounds += 1) {
    stage.library.videos = stage.library.videos.map((_, at) => `${rounds}-${at}`);
    for (const quadrant of quadrants) skip(quadrant);
    await stage.arrive();
    stage.screen.show(...quadrants);
    await stage.arrive();
  }
  await hearOfChange();
  const asked = stage.library.hiddenAsks.slice(-1)[0] ?? [];
  expect(asked).toHaveLength(limits.askedVideos);
  expect(asked).toEqual(expect.arrayContaining(stage.shownIds()));
});

test('before anything is shown nothing is asked', async () => {
  stop = watchHidden();
  await hearOfChange();
  expect(stage.library.hiddenAsks).toEqual([]);
});

test('a video that was hidden while another view was open is not shown on the way back', async () => {
  await play();
  stop();
  leaveFeed();
  const hidden = stage.shownIds()[0] ?? '';
  stage.library.hidden = [hidden];
  stop = watchHidden();
  await arrive();
  expect(stage.summary('top-left').shown).toBeNull();
});
