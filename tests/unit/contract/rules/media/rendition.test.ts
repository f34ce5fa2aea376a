import { describe, expect, test } from 'vitest';
import type { Encoding } from '#contract/rules/rendition.ts';
import { bestAllowed, linesAllowed, mayHave } from '#contract/rules/rendition.ts';

const grid: Encoding = { name: 'grid', height: 540 };
const hd: Encoding = { name: 'hd', height: 1_080 };
const source: Encoding = { name: 'source', height: 2_160 };
const ladder = [source, hd, grid];

const basic = linesAllowed({ hd_streaming: false });
const pro = linesAllowed({ hd_streaming: true });

describe('without HD a viewer', () => {
  test('may have the grid rendition and nothing above 540 lines', () => {
    expect(ladder.filter((encoding) => mayHave(encoding, ladder, basic))).toEqual([grid]);
  });

  test('may have a source of 540 lines, and not one of 541', () => {
    expect(mayHave({ name: 'source', height: 540 }, [grid], basic)).toBe(true);
    expect(mayHave({ name: 'source', height: 541 }, [grid], basic)).toBe(false);
  });

  test('may have any source for which there is no grid rendition', () => {
    expect(mayHave(source, [source, hd], basic)).toBe(true);
    expect(mayHave(hd, [source, hd], basic)).toBe(false);
  });

  test('may not have a source of unknown height beside a grid rendition', () => {
    expect(mayHave({ name: 'source', height: null }, ladder, basic)).toBe(false);
  });

  test('is given the best of what is left', () => {
    expect(bestAllowed(ladder, basic)).toBe(grid);
    expect(bestAllowed([source], basic)).toBe(source);
  });
});

describe('with HD a viewer', () => {
  test('may have everything, and is given the most lines', () => {
    expect(ladder.every((encoding) => mayHave(encoding, ladder, pro))).toBe(true);
    expect(bestAllowed(ladder, pro)).toBe(source);
    expect(mayHave({ name: 'source', height: null }, ladder, pro)).toBe(true);
  });

  test('is given the source among equals', () => {
    const sourceOfHd: Encoding = { name: 'source', height: 1_080 };

    expect(bestAllowed([hd, sourceOfHd], pro)).toBe(sourceOfHd);
    expect(bestAllowed([sourceOfHd, hd], pro)).toBe(sourceOfHd);
  });
});

test('where there is nothing, nothing is given', () => {
  expect(bestAllowed([], pro)).toBeNull();
});
