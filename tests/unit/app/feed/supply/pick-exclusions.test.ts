import { describe, expect, test } from 'vitest';
import type { FeedVideo, QuadrantState } from '#app/features/feed/quadrant/quadrant.ts';
import { initialQuadrant } from '#app/features/feed/quadrant/quadrant.ts';
import {
  excludedIds,
  exclusionsFor,
  freePosition,
  isTakenElsewhere,
  isTakenNeedlessly,
  startPosition,
} from '#app/features/feed/supply/pick-request.ts';
import { byQuadrant } from '#contract/quadrants.ts';
import { feedVideo } from '../feed-video.ts';

const lastTen = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10'];

test('a large library avoids what the others show, what leaves them, and the last ten', () => {
  const excluded = excludedIds({
    claimed: ['x', 'y', 'z'],
    leaving: ['l'],
    recent: lastTen,
    broken: [],
    matching: 500,
  });
  expect([...excluded].sort()).toEqual(['x', 'y', 'z', 'l', ...lastTen].sort());
});

test('in a small library a quadrant avoids its own last video before those that leave others', () => {
  const three = { claimed: ['x', 'y', 'z'], leaving: ['l', 'm'], recent: lastTen, broken: [] };
  expect(excludedIds({ ...three, matching: 6 })).toEqual(['x', 'y', 'z', 'r1']);
  expect(excludedIds({ ...three, matching: 7 })).toEqual(['x', 'y', 'z', 'r1', 'l']);
});

test('before its first answer a quadrant avoids all it knows of', () => {
  expect(excludedIds({ claimed: ['x'], leaving: [], recent: ['r1'], broken: [], matching: null })).toEqual(['x', 'r1']);
});

test('no id is named twice', () => {
  expect(excludedIds({ claimed: ['x', 'x'], leaving: ['x'], recent: ['x', 'r1'], broken: [], matching: 500 })).toEqual([
    'x',
    'r1',
  ]);
});

test.each([
  [14, 10],
  [13, 8],
  [12, 7],
  [8, 3],
  [6, 1],
  [5, 1],
  [4, 0],
  [3, 0],
  [1, 0],
])('of %i videos, beside three that others show, %i recent ones are avoided', (matching, count) => {
  const excluded = excludedIds({ claimed: ['x', 'y', 'z'], leaving: [], recent: lastTen, broken: [], matching });
  expect(excluded.slice(3)).toEqual(lastTen.slice(0, count));
});

test('a broken video is avoided beside all others', () => {
  expect(excludedIds({ claimed: ['x'], leaving: [], recent: ['r1'], broken: ['b'], matching: 500 })).toEqual([
    'x',
    'b',
    'r1',
  ]);
});

test('where nothing else is free, another quadrant is repeated rather than a broken video', () => {
  expect(excludedIds({ claimed: ['x', 'y', 'z'], leaving: [], recent: ['b'], broken: ['b'], matching: 4 })).toEqual([
    'b',
  ]);
});

test('a video of another quadrant is dropped while there is one for each', () => {
  const others = { claimed: ['x', 'y', 'z'], broken: [], matching: 4 };
  expect(isTakenNeedlessly('x', others)).toBe(true);
  expect(isTakenNeedlessly('w', others)).toBe(false);
});

test('with fewer videos than quadrants it may repeat', () => {
  expect(isTakenNeedlessly('x', { claimed: ['x', 'y', 'z'], broken: [], matching: 3 })).toBe(false);
  expect(isTakenNeedlessly('x', { claimed: ['x', 'y', 'x'], broken: [], matching: 3 })).toBe(true);
  expect(isTakenNeedlessly('x', { claimed: ['x'], broken: [], matching: 1 })).toBe(false);
});

test('with fewer than four that give a picture it may repeat', () => {
  expect(isTakenNeedlessly('x', { claimed: ['x', 'y', 'z'], broken: ['b'], matching: 4 })).toBe(false);
});

const startPositions: Array<[string, number | null, number[], number]> = [
  ['nobody shows it', 60, [], 0],
  ['its length is unknown', null, [10], 0],
  ['another quadrant has just begun it', 60, [0], 30],
  ['another quadrant is past its middle', 60, [40], 10],
  ['two others are close together', 60, [10, 14], 42],
  ['the widest stretch lies between two others', 60, [5, 55], 30],
  ['three others are spread', 60, [0, 15, 30], 45],
];

test.each(startPositions)('a video starts apart from the others: %s', (_, duration, taken, second) => {
  expect(startPosition(duration, taken)).toBe(second);
});

describe('beside another quadrant', () => {
  const video = (id: string) => feedVideo(id);
  const beside = (other: Partial<QuadrantState>) => ({
    quadrants: { ...byQuadrant(initialQuadrant), 'top-right': { ...initialQuadrant(), ...other } },
    broken: [],
  });
  const isTaken = (other: Partial<QuadrantState>, id: string) => isTakenElsewhere(beside(other), 'top-left', video(id));

  test('what it shows, what comes to its screen, and what it has prepared is taken', () => {
    expect(isTaken({ shown: video('a') }, 'a')).toBe(true);
    expect(isTaken({ next: video('a') }, 'a')).toBe(true);
    expect(isTaken({ activity: { kind: 'coming', video: video('a'), at: 0, back: false } }, 'a')).toBe(true);
  });

  test('what leaves its screen is free, unless it is left by a skip back: then it is the next one', () => {
    const leaving = (back: boolean) =>
      isTaken({ shown: video('a'), activity: { kind: 'coming', video: video('b'), at: 0, back } }, 'a');
    expect([leaving(false), leaving(true)]).toEqual([false, true]);
  });

  test('a video starts apart from where it is, or where it will start', () => {
    const positionOf = () => 20;
    expect(freePosition(beside({ shown: video('a') }), 'top-left', video('a'), positionOf)).toBe(50);
    const coming = beside({ shown: video('a'), activity: { kind: 'coming', video: video('a'), at: 0, back: false } });
    expect(freePosition(coming, 'top-left', video('a'), positionOf)).toBe(30);
  });
});

describe('a filtered quadrant counts within its own pool', () => {
  const video = (id: string, ...tagIds: string[]) => feedVideo(id, { tagIds, matching: 6 });
  const showing = (state: Partial<QuadrantState>) => ({ ...initialQuadrant(), ...state });
  const feedWith = (own: Partial<QuadrantState>, broken: FeedVideo[] = []) => ({
    quadrants: {
      'top-left': showing({ filter: { tagIds: ['red', 'blue'], mode: 'OR' }, ...own }),
      'top-right': showing({ shown: video('x', 'green'), next: video('y') }),
      'bottom-left': showing({ shown: video('z'), next: video('w', 'blue') }),
      'bottom-right': showing({ shown: video('v'), next: video('u') }),
    },
    broken,
  });

  test('videos of others that its filter leaves out take nothing from six that it draws from', () => {
    const recent = ['a', 'b', 'c', 'd', 'e', 'f'];
    const shown = video('a', 'red');
    const claimed = ['x', 'y', 'z', 'w', 'v', 'u'];
    const excluded = (...broken: FeedVideo[]) => exclusionsFor(feedWith({ shown, recent }, broken), 'top-left');
    expect(excluded()).toEqual([...claimed, 'a', 'b', 'c']);
    expect(excluded(video('q'))).toEqual([...claimed, 'q', 'a', 'b', 'c']);
    expect(excluded(video('f', 'red'))).toEqual([...claimed, 'f', 'a', 'b']);
  });

  test('with AND only a video with all of the channels counts', () => {
    const filter = { tagIds: ['red', 'blue'], mode: 'AND' } as const;
    const recent = ['a', 'b', 'c', 'd', 'e', 'f'];
    const excluded = exclusionsFor(feedWith({ filter, shown: video('a'), recent }), 'top-left');
    expect(excluded.slice(6)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('what another filter drew from is not its size', () => {
    const recent = ['a', 'b', 'c', 'd', 'e', 'f'];
    const own = { shown: video('a'), recent, isFilterPending: true };
    expect(exclusionsFor(feedWith(own), 'top-left')).toEqual(['x', 'y', 'z', 'w', 'v', 'u', ...recent]);
  });

  test('a video that another one shows is taken as long as its own pool has another', () => {
    const isTaken = (matching: number) =>
      isTakenElsewhere(feedWith({}), 'top-left', { ...video('w', 'blue'), matching });
    expect([isTaken(2), isTaken(1)]).toEqual([true, false]);
  });
});
