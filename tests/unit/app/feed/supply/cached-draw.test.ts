import { describe, expect, test } from 'vitest';
import { drawFromList } from '#app/features/feed/supply/cached-lists.ts';
import { favouriteIds } from '#app/state/quadrant-filters.ts';
import type { Video } from '#contract/entities/video.ts';

const now = Date.UTC(2026, 0, 2);
const inSeconds = (seconds: number) =>
  `/api/video/stream?path=a.mp4&rendition=grid&expires=${now / 1000 + seconds}&signature=s`;

const video = (id: string, tagIds: string[], parts: Partial<Video> = {}) =>
  ({
    id,
    path: `${id}.mp4`,
    filename: `${id}.mp4`,
    renditions: [],
    storyboard: null,
    width: 1920,
    height: 1080,
    tags: tagIds.map((tag) => ({ id: tag, name: tag, color: '#3B82F6' })),
    url: inSeconds(3_600),
    poster_url: null,
    available: true,
    duration: 60,
    ...parts,
  }) as Video;

type Parts = Partial<Parameters<typeof drawFromList>[1]>;
const all = { tagIds: ['a'], mode: 'OR' as const };
const draw = (videos: Video[], parts: Parts = {}) =>
  drawFromList(videos, {
    filter: all,
    blockedTagIds: [],
    excluded: [],
    tried: [],
    shown: new Set(),
    now,
    random: 0,
    ...parts,
  });

/** Every video that some chance draws. */
function drawnIds(videos: Video[], parts: Parts = {}): string[] {
  const chances = Array.from({ length: 60 }, (_, at) => at / 60);
  const ids = chances.map((random) => draw(videos, { ...parts, random })?.id ?? 'none');
  return [...new Set(ids)].sort();
}

const videos = [video('1', ['a']), video('2', ['a', 'b']), video('3', ['b']), video('4', [])];
/** A long and upright one; favourites are this and another. */
videos.push(video('5', ['b'], { duration: 1_201, width: 1080, height: 1920 }));
for (const id of ['3', '5']) favouriteIds.add(id);

describe('of a list are drawn', () => {
  test.each([
    ['any of two channels', { filter: { tagIds: ['a', 'b'], mode: 'OR' } }, ['1', '2', '3', '5']],
    ['both of two channels', { filter: { tagIds: ['a', 'b'], mode: 'AND' } }, ['2']],
    ['no blocked channel, even a chosen one', { blockedTagIds: ['b'] }, ['1']],
    ['what is not to be avoided', { excluded: ['1'] }, ['2']],
    ['all that match where all are to be avoided', { excluded: ['1', '2'] }, ['1', '2']],
    ['nothing that could not start, rather what is to be avoided', { excluded: ['1'], tried: ['2'] }, ['1']],
    ['none where nothing could start', { tried: ['1', '2'] }, ['none']],
    ['what was not shown', { shown: new Set(['1']) }, ['2']],
    ['what was shown, where nothing else is left', { shown: new Set(['1', '2']) }, ['1', '2']],
    ['what was shown, rather than what is to be avoided', { shown: new Set(['1']), excluded: ['2'] }, ['1']],
    ['a length beside a channel', { filter: { tagIds: ['b', 'is:long'], mode: 'OR' } }, ['5']],
    ['a shape without a channel', { filter: { tagIds: ['is:upright'], mode: 'OR' } }, ['5']],
    ['favourites', { filter: { tagIds: ['is:favourite'], mode: 'AND' } }, ['3', '5']],
    ['no favourite in another channel', { filter: { tagIds: ['is:favourite', 'a'], mode: 'AND' } }, ['none']],
    ['none where none matches', { filter: { tagIds: ['c'], mode: 'OR' } }, ['none']],
  ] as [string, Parts, string[]][])('%s', (_, parts, expected) => {
    expect(drawnIds(videos, parts)).toEqual(expected);
  });

  test('each that matches with the same chance', () => {
    const three = ['1', '2', '3'].map((id) => video(id, ['a']));
    expect([0, 0.33, 0.34, 0.66, 0.67, 0.999].map((random) => draw(three, { random })?.id)).toEqual([
      '1',
      '1',
      '2',
      '2',
      '3',
      '3',
    ]);
  });
});

test.each([
  ['is not available', { available: false }],
  ['has an address whose signature has run out', { url: inSeconds(-1) }],
  ['has one that runs out before it could start', { url: inSeconds(59) }],
  ['has an address without a signature', { url: '/api/video/stream?path=a.mp4' }],
])('a video that %s is not played', (_, parts) => {
  expect(drawnIds([video('1', ['a'], parts), video('2', ['a'])])).toEqual(['2']);
});

test('what is drawn is a video of the feed, with the number of those that match', () => {
  expect(draw(videos)).toEqual({
    id: '1',
    path: '1.mp4',
    title: '1.mp4',
    url: inSeconds(3_600),
    rendition: 'grid',
    renditions: [],
    storyboard: null,
    width: 1920,
    height: 1080,
    durationSeconds: 60,
    posterUrl: null,
    tagIds: ['a'],
    matching: 2,
  });
});
