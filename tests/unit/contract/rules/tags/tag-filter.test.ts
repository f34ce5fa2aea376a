import { array, assert, property, string, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FilterMode } from '#contract/rules/tag-filter.ts';
import {
  isSavedFilterAlive,
  joinIds,
  keepExisting,
  matchesFilter,
  setsOfForm,
  splitChips,
  splitIds,
} from '#contract/rules/tag-filter.ts';

describe('ids in a query', () => {
  test.each([
    ['', []],
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    ['a,b,a', ['a', 'b']],
    [',a,, b ,', ['a', 'b']],
  ])('%j are %j', (text, ids) => {
    expect(splitIds(text)).toEqual(ids);
  });

  test('come back as they went', () => {
    const id = string({ minLength: 1, maxLength: 12 }).filter(
      (text) => text === text.trim() && !text.includes(',') && text !== '',
    );

    assert(
      property(uniqueArray(id), (ids) => {
        expect(splitIds(joinIds(ids))).toEqual(ids);
      }),
    );
  });

  test('never hold a blank or the same id twice', () => {
    assert(
      property(array(string()), (parts) => {
        const ids = splitIds(parts.join(','));
        expect(ids).not.toContain('');
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});

test.each<[tags: string[], filter: string[], mode: FilterMode, blocked: string[], drawn: boolean]>([
  [['sea'], [], 'OR', [], true],
  [[], [], 'AND', [], true],
  [['sea'], ['sea', 'night'], 'OR', [], true],
  [['sea'], ['sea', 'night'], 'AND', [], false],
  [['sea', 'night'], ['sea', 'night'], 'AND', [], true],
  [['sea'], ['sea'], 'OR', ['sea'], false],
  [['sea', 'rain'], ['sea'], 'OR', ['rain'], false],
  [['sea', 'rain'], [], 'OR', ['rain'], false],
  [['sea'], ['gone', 'sea'], 'OR', [], true],
  [['sea'], ['gone', 'sea'], 'AND', [], false],
  [['sea'], ['gone'], 'OR', [], false],
])('a video tagged %j under %j (%s), with %j blocked, is drawn: %s', (tags, tagIds, mode, blocked, drawn) => {
  expect(matchesFilter(new Set(tags), { tagIds, mode }, blocked)).toBe(drawn);
});

test.each<[ids: string[], filter: string[], mode: FilterMode, drawn: boolean]>([
  [['is:long'], ['is:long'], 'OR', true],
  [['is:short'], ['is:long'], 'OR', false],
  [['is:long', 'a'], ['is:long', 'a', 'b'], 'OR', true],
  [['is:long', 'a'], ['is:long', 'a', 'b'], 'AND', false],
  [['a', 'b'], ['is:long', 'a', 'b'], 'OR', false],
  [['is:long', 'is:wide'], ['is:long', 'is:favourite'], 'OR', false],
])('a video with %j is drawn under the sets and tags %j, mode %s: %s', (ids, tagIds, mode, drawn) => {
  expect(matchesFilter(new Set(ids), { tagIds, mode }, [])).toBe(drawn);
});

test.each([
  [0, 1, 2, 'is:short,is:upright'],
  [59.999, 2, 1, 'is:short,is:wide'],
  [60, 1, 1, 'is:medium'],
  [1_200, null, 1, 'is:medium'],
  [1_200.001, 0, 0, 'is:long'],
  [null, null, null, ''],
])('a video of %s s and %s × %s pixels is in the sets %j', (durationSeconds, width, height, sets) => {
  expect(setsOfForm({ durationSeconds, width, height }).join()).toBe(sets);
});

test('a saved filter lives for 24 hours', () => {
  const day = 86_400_000;

  expect(isSavedFilterAlive(1_000, 1_000)).toBe(true);
  expect(isSavedFilterAlive(1_000, 1_000 + day - 1)).toBe(true);
  expect(isSavedFilterAlive(1_000, 1_000 + day)).toBe(false);
  expect(isSavedFilterAlive(5_000, 1_000)).toBe(false);
});

test('a saved filter keeps its sets', () => {
  expect(keepExisting(['is:long', 'a', 'is:favourite'], new Set())).toEqual(['is:long', 'is:favourite']);
});

test('a saved filter loses the tags that are gone, and keeps the order of the others', () => {
  expect(keepExisting(['c', 'a', 'b'], new Set(['a', 'c']))).toEqual(['c', 'a']);
});

test.each([
  [0, 3, 0, 0],
  [3, 3, 3, 0],
  [4, 3, 3, 1],
  [9, 2, 2, 7],
  [5, 0, 0, 5],
])('of %d chips with room for %d, %d stand and %d are counted', (count, room, shown, more) => {
  const chips = splitChips(
    Array.from({ length: count }, (_, place) => place),
    room,
  );

  expect(chips.shown).toHaveLength(shown);
  expect(chips.more).toBe(more);
});
