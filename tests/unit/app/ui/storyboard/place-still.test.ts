import { describe, expect, test } from 'vitest';
import { centreOf, shareAt } from '#app/ui/form/range.tsx';
import { placeStill } from '#app/ui/media/storyboard.tsx';
import { sheetOf } from './sheet.ts';

const line = { left: 16, width: 680, thumb: 14 };
const desktop = { line, words: 24, above: 330 };
const upright = sheetOf({ tile_width: 160, tile_height: 284 });

test('a place on a line and its share of it are the same both ways', () => {
  for (const share of [0, 0.25, 1]) expect(shareAt(line, line.left + centreOf(line, share))).toBeCloseTo(share, 10);
  expect([shareAt(line, 0), shareAt(line, 2_000), shareAt({ left: 0, width: 0, thumb: 14 }, 5)]).toEqual([0, 1, 0]);
});

describe('the still above a line', () => {
  test('stands over its place, and within the ends of the line', () => {
    const { width } = placeStill(sheetOf(), desktop, 0);
    expect(placeStill(sheetOf(), desktop, 0.5).left).toBe(340 - width / 2);
    expect([placeStill(sheetOf(), desktop, 0).left, placeStill(sheetOf(), desktop, 1).left]).toEqual([0, 680 - width]);
  });

  test('is as large as on its sheet, larger over a long line, and no more than twice', () => {
    const widthOn = (width: number) => placeStill(sheetOf(), { ...desktop, line: { ...line, width } }, 0.5).width;
    expect([widthOn(340), widthOn(680), widthOn(1_900)]).toEqual([160, 204, 320]);
  });

  test('is smaller where its quadrant is low', () => {
    expect(placeStill(sheetOf(), { ...desktop, above: 80 }, 0.5)).toMatchObject({
      width: 113,
      height: 64,
      isOverWords: false,
    });
  });

  test('covers the words where there is no room above them', () => {
    expect(placeStill(sheetOf(), { ...desktop, above: 60 }, 0.5)).toMatchObject({ height: 68, isOverWords: true });
  });

  test('that stands upright is no longer than one that lies is wide', () => {
    expect(placeStill(upright, desktop, 0.5)).toMatchObject({ width: 114, height: 204 });
  });

  test('is no wider than its line', () => {
    expect(placeStill(sheetOf(), { ...desktop, line: { ...line, width: 100 } }, 0.5)).toMatchObject({
      left: 0,
      width: 100,
    });
  });
});
