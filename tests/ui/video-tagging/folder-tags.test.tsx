import { expect, test } from 'vitest';
import type { Tag } from '#contract/entities/tag.ts';
import { press, settle } from '../draw.tsx';
import { pressKey, type } from '../keys.ts';
import { card, chips, current, drawTagging, key, pressCard, text, toggle, wait, withTagging } from './draw-tagging.tsx';

const held = withTagging();

/** Every video is in the folder Drone; Encore and Tromso have tags of people besides. */
function giveFolders(): Tag {
  const drone = held.server.tags[2] as Tag;
  for (const item of held.server.videos) {
    item.tags = item.tags.filter(({ id }) => id !== drone.id);
    held.server.giveByFolder(item.video.id, drone);
  }
  return drone;
}

const counts = () => text('dl div').slice(0, 3);
const needsTags = () => text('[data-video]').filter((words) => words?.includes('NEEDS TAGS')).length;
const folderChips = () => [...document.querySelectorAll('[data-video] [title="From its folder"]')].length;
const tagsOf = (id: string) =>
  held.server.videos
    .find(({ video }) => video.id === id)
    ?.tags.map((tag) => `${tag.name}${tag.by_folder ? '/' : ''}`)
    .join();

test('a video with tags of its folder alone needs tags by badge, counts and N, and its chips look different', async () => {
  giveFolders();
  const screen = await drawTagging();
  expect(screen.textContent).toContain('2 videos need tags');
  expect([counts(), needsTags(), folderChips()]).toEqual([['untagged2', 'tagged2', 'total4'], 2, 3]);
  expect(chips('kelp')).toEqual(['Drone']);
  expect(text('[data-video="kelp"] .visually-hidden')).toEqual(['From its folder']);
  await key('n');
  expect(document.activeElement).toBe(card('kelp'));
  await key('n');
  expect(document.activeElement).toBe(card('dunes'));
});

test('taking a tag of the folder off changes no count, and undoing gives it back to the folder', async () => {
  giveFolders();
  await drawTagging();
  await pressCard('kelp');
  await press('Remove Drone');
  await wait();
  expect([counts(), current(), tagsOf('kelp')]).toEqual([['untagged2', 'tagged2', 'total4'], [], '']);
  await press('Undo');
  await wait();
  expect(held.server.bodies).toEqual([{ tag_ids: ['d'], confidence_score: 1, by_folder: true }]);
  expect([counts(), current(), tagsOf('kelp')]).toEqual([['untagged2', 'tagged2', 'total4'], ['Drone'], 'Drone/']);
});

test('assigning a tag of the folder makes it somebodys, and undoing makes it the folders again', async () => {
  giveFolders();
  await drawTagging();
  await pressCard('kelp');
  expect(text('aside [data-tag] label')).toEqual(['Night', 'Cities', 'DroneFrom its folder']);
  await toggle('Drone');
  await press('Assign 1 Tag');
  await wait();
  expect([counts()[0], needsTags(), tagsOf('kelp')]).toEqual(['untagged1', 1, 'Drone']);
  expect(text('aside [data-tag] label')).toEqual(['Night', 'Cities', 'DroneAssigned']);
  await key('u');
  await wait();
  expect([counts()[0], needsTags(), tagsOf('kelp'), chips('kelp')]).toEqual(['untagged2', 2, 'Drone/', ['Drone']]);
});

test('a digit puts the tag of a folder on as well', async () => {
  giveFolders();
  await drawTagging();
  await settle(() => card('kelp')?.focus());
  await key('3');
  expect([counts()[0], tagsOf('kelp')]).toEqual(['untagged1', 'Drone']);
});

test('of several videos, a tag that somebody has put on one of them is no tag of the folder', async () => {
  const drone = giveFolders();
  await drawTagging();
  await pressCard('kelp');
  await pressCard('encore', { shiftKey: true });
  const title = () =>
    [...document.querySelectorAll('[aria-label="Current Tags"] li')]
      .find((item) => item.textContent?.startsWith(drone.name))
      ?.querySelector('[title="From its folder"]');
  expect(title()).not.toBeNull();
  await pressCard('kelp');
  await settle(() => card('kelp')?.focus());
  await key('3');
  await pressCard('encore', { shiftKey: true });
  expect(title()).toBeNull();
});

test('N gives up a search that finds tagged videos alone', async () => {
  giveFolders();
  await drawTagging();
  const { routes, calls } = held.server;
  const whole = routes['GET /api/videos/tagging'] as () => { json: { videos: { video: { id: string } }[] } };
  routes['GET /api/videos/tagging'] = () => {
    const { json } = whole();
    const isSearched = calls.slice(-1)[0]?.includes('search=');
    const videos = json.videos.filter(({ video }) => !isSearched || video.id === 'encore');
    return { json: { ...json, videos, total: videos.length } };
  };
  const field = document.querySelector<HTMLInputElement>('[role="search"] input');
  await settle(() => field?.focus());
  await type('encore');
  await pressKey('Enter');
  await wait();
  expect(text('[data-video]').length).toBe(1);
  await settle(() => field?.blur());
  await key('n');
  await wait();
  expect(document.activeElement).toBe(card('kelp'));
});
