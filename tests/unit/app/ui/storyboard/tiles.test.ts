import { describe, expect, test } from 'vitest';
import { countTiles, coverBox, fitTile, placeTile, tileAt } from '#app/ui/media/storyboard.tsx';
import { sheetOf } from './sheet.ts';

const upright = sheetOf({ tile_width: 160, tile_height: 284 });

describe('the still of a second', () => {
  test.each([
    [0, 0],
    [1.99, 0],
    [2, 1],
    [41, 20],
    [199.9, 99],
  ])('%d s is still %i', (seconds, tile) => {
    expect(tileAt(sheetOf(), seconds, 200)).toBe(tile);
  });

  test.each([
    [200, 99],
    [10_000, 99],
    [-3, 0],
  ])('beyond the ends, at %d s, it is still %i', (seconds, tile) => {
    expect(tileAt(sheetOf(), seconds, 200)).toBe(tile);
  });

  test('is never one that the last row lacks', () => {
    const sheet = sheetOf({ rows: 3 });
    expect([countTiles(sheet, 47), tileAt(sheet, 46.9, 47)]).toEqual([23, 22]);
    expect([countTiles(sheet, 46), tileAt(sheet, 46, 46)]).toEqual([23, 22]);
  });

  test('of a video that is shorter than the stretch of one still is the first', () => {
    expect([countTiles(sheetOf(), 0.4), tileAt(sheetOf(), 0.3, 0.4)]).toEqual([1, 0]);
  });

  test('has all places to choose from while the length is unknown', () => {
    expect(countTiles(sheetOf({ rows: 3 }), null)).toBe(30);
  });

  test('counts an interval that was rounded as it was meant', () => {
    expect(countTiles(sheetOf({ interval_seconds: 1.234 }), 123.4 - 1e-9)).toBe(100);
  });
});

describe('the place of a still in the background of its box', () => {
  test.each([
    [0, '0% 0%'],
    [9, '100% 0%'],
    [45, `${(5 / 9) * 100}% ${(4 / 9) * 100}%`],
    [99, '100% 100%'],
  ])('%i', (tile, position) => {
    expect(placeTile(sheetOf(), tile)).toEqual({ size: '1000% 1000%', position });
  });

  test('a sheet of one row, one column or one still has nothing to move along', () => {
    expect(placeTile(sheetOf({ rows: 1 }), 4)).toEqual({ size: '1000% 100%', position: `${(4 / 9) * 100}% 0%` });
    expect(placeTile(sheetOf({ columns: 1 }), 9)).toEqual({ size: '100% 1000%', position: '0% 100%' });
    expect(placeTile(sheetOf({ columns: 1, rows: 1 }), 0)).toEqual({ size: '100% 100%', position: '0% 0%' });
  });
});

test.each([
  ['lies', sheetOf(), { width: 320, height: 400 }, { width: 320, height: 180 }],
  ['lies, in a low room', sheetOf(), { width: 320, height: 60 }, { width: 106, height: 60 }],
  ['stands', upright, { width: 320, height: 200 }, { width: 112, height: 200 }],
  ['has no room', sheetOf(), { width: 0, height: -5 }, { width: 1, height: 1 }],
])('a still that %s keeps its shape and fits in', (_, sheet, room, size) => {
  expect(fitTile(sheet, room)).toEqual(size);
});

test('a still covers the frame of a card as its poster does', () => {
  const coverOf = (tile_width: number, tile_height: number) => coverBox(sheetOf({ tile_width, tile_height }), 2);
  expect(coverOf(200, 100)).toEqual({ left: 0, top: 0, width: 100, height: 100 });
  expect(coverOf(100, 100)).toEqual({ left: 0, top: -50, width: 100, height: 200 });
  expect(coverOf(400, 100)).toEqual({ left: -50, top: 0, width: 200, height: 100 });
});
