import { assert, integer, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  clampPage,
  clampPageLimit,
  clampPageNumber,
  hasQuickJump,
  lastPageOf,
  pageMarks,
  readPageJump,
} from '#contract/rules/pages.ts';

const gap = 'ellipsis';

describe('the numbers of the pages', () => {
  test.each([
    [1, 1, [1]],
    [4, 7, [1, 2, 3, 4, 5, 6, 7]],
    [1, 8, [1, 2, 3, gap, 8]],
    [2, 8, [1, 2, 3, 4, gap, 8]],
    [4, 8, [1, 2, 3, 4, 5, 6, gap, 8]],
    [5, 8, [1, gap, 3, 4, 5, 6, 7, 8]],
    [5, 10, [1, gap, 3, 4, 5, 6, 7, gap, 10]],
    [6, 10, [1, gap, 4, 5, 6, 7, 8, gap, 10]],
    [8, 8, [1, gap, 6, 7, 8]],
    [7, 107, [1, gap, 5, 6, 7, 8, 9, gap, 107]],
    [500, 107, [1, gap, 105, 106, 107]],
  ])('on page %d of %d are %j', (current, last, marks) => {
    expect(pageMarks(current, last)).toEqual(marks);
  });

  test('hold the first, the last and the present page, in order, whatever they are', () => {
    assert(
      property(integer({ min: 1, max: 500 }), integer({ min: 1, max: 500 }), (current, last) => {
        const marks = pageMarks(current, last);
        const numbers = marks.filter((mark) => mark !== gap);

        expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
        expect(numbers).toEqual(expect.arrayContaining([1, last, clampPage(current, last)]));
        expect(marks.includes(gap)).toBe(last > 7);
      }),
    );
  });

  test('jump over a page or more at each ellipsis, and over none elsewhere', () => {
    assert(
      property(integer({ min: 1, max: 500 }), integer({ min: 1, max: 500 }), (current, last) => {
        const marks = pageMarks(current, last);
        for (const [place, mark] of marks.entries()) {
          const before = marks[place - 1];
          const after = marks[place + 1];
          if (mark === gap) expect(Number(after) - Number(before)).toBeGreaterThan(1);
          else if (before !== undefined && before !== gap) expect(mark - before).toBe(1);
        }
      }),
    );
  });
});

test.each([
  ['1', 1],
  [' 12 ', 12],
  ['107', 107],
  ['007', 7],
  ['108', null],
  ['0', null],
  ['-1', null],
  ['1.5', null],
  ['1e2', null],
  ['', null],
  ['seven', null],
])('somebody who types %j among 107 pages goes to %j', (text, page) => {
  expect(readPageJump(text, 107)).toBe(page);
});

test('whatever is typed, a jump lands on a page or nowhere', () => {
  assert(
    property(string(), integer({ min: 1, max: 50 }), (text, last) => {
      const page = readPageJump(text, last);
      if (page !== null) expect(page).toBe(clampPage(page, last));
    }),
  );
});

test.each([
  [0, 20, 1],
  [1, 20, 1],
  [20, 20, 1],
  [21, 20, 2],
  [1_284, 12, 107],
])('%d rows at %d a page end on page %d', (total, limit, last) => {
  expect(lastPageOf(total, limit)).toBe(last);
});

test('page and limit are clamped', () => {
  expect([clampPage(0, 5), clampPage(6, 5), clampPage(3, 5), clampPage(3, 0)]).toEqual([1, 5, 3, 1]);
  expect([clampPageLimit(-1), clampPageLimit(0), clampPageLimit(100), clampPageLimit(101)]).toEqual([1, 1, 100, 100]);
  expect([clampPageNumber(0), clampPageNumber(7), clampPageNumber(2e9)]).toEqual([1, 7, 1_000_000_000]);
});

test('the quick jump stands above 20 pages', () => {
  expect(hasQuickJump(20)).toBe(false);
  expect(hasQuickJump(21)).toBe(true);
});
