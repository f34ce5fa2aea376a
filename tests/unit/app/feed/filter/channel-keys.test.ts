import { afterEach, beforeEach, expect, test } from 'vitest';
import { stepChannel } from '#app/features/feed/filter/channel-keys.ts';
import { quadrantMarks } from '#app/features/feed/quadrant/quadrant-gestures.tsx';
import { clearFilters, quadrantFilters } from '#app/state/quadrant-filters.ts';
import { resetSession, session } from '#app/state/session.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';
import { person } from '../../state/people.ts';
import { channel } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

let stage: FeedStage;

beforeEach(async () => {
  stage = new FeedStage();
  Object.assign(window, { localStorage: fakeStorage() });
  stage.library.channels = ['aurora', 'cities', 'forest'].map((name) => channel(name));
  await stage.play();
});

afterEach(async () => {
  // A series of presses that is under way would go on in the next test.
  await stage.seconds(0.4);
  clearFilters();
  stage.end();
  resetSession();
});

const here = 'top-left';

async function press(...directions: (-1 | 1)[]): Promise<string | null> {
  for (const direction of directions) await stepChannel(here, direction);
  return quadrantMarks[here].channel;
}

const applied = async () => {
  await stage.seconds(0.4);
  return quadrantFilters[here].tagIds;
};

test('the keys go through the channels by name, and beyond either end stand all videos', async () => {
  expect(await press(1)).toBe('aurora');
  expect(await applied()).toEqual(['id-aurora']);
  expect(await press(1, 1)).toBe('forest');
  expect(await applied()).toEqual(['id-forest']);
  expect(await press(1)).toBe('All videos');
  expect(await applied()).toEqual([]);
  expect(await press(-1)).toBe('forest');
  expect(await applied()).toEqual(['id-forest']);
  expect(quadrantFilters['top-right'].tagIds).toEqual([]);
});

test('of presses in a row the last channel alone is applied, and its name stands for three seconds', async () => {
  const before = stage.library.asksOf(here).length;
  const { length: asked } = stage.library.searches;
  await press(1, 1, -1, 1);
  expect(stage.library.searches).toHaveLength(asked + 1);
  expect(await applied()).toEqual(['id-cities']);
  await stage.arrive();
  expect(stage.library.asksOf(here).length - before).toBe(1);
  await stage.seconds(2.5);
  expect(quadrantMarks[here].channel).toBe('cities');
  await stage.seconds(0.1);
  expect(quadrantMarks[here].channel).toBeNull();
});

test.each([
  ['failing', 'Failed to load channels: Something went wrong'],
  ['away', /^Failed to load channels: ./],
] as const)(
  'where the channels are %s it says so for three seconds, and the next press asks again',
  async (state, told) => {
    const { channels } = stage.library;
    stage.library.channels = state;
    expect(await press(1)).toMatch(told);
    await stage.seconds(3);
    expect(quadrantMarks[here].channel).toBeNull();
    stage.library.channels = channels;
    expect(await press(1)).toBe('aurora');
  },
);

test('where there is no channel it says so, and changes nothing', async () => {
  stage.library.channels = [];
  expect(await press(1)).toBe('No channels available');
  expect(await applied()).toEqual([]);
  stage.library.channels = [channel('aurora')];
  expect(await press(1)).toBe('aurora');
});

test('a filter whose channels are all gone is left for all videos', async () => {
  await press(1);
  await applied();
  stage.library.channels = [];
  expect(await press(1)).toBe('All videos');
  expect(await applied()).toEqual([]);
});

test('a blocked channel is passed over', async () => {
  const { settings } = person();
  session.user = person('basic', { settings: { ...settings, blocked_tag_ids: ['id-aurora'] } });
  expect(await press(1)).toBe('cities');
});
