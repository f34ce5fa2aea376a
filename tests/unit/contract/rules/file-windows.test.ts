import { assert, integer, property, set as setOf } from 'fast-check';
import { expect, test } from 'vitest';
import {
  checkPieceBytes,
  countPieces,
  missingWindows,
  piecesWithin,
  pieceWindow,
  shortenWindow,
} from '#contract/rules/file-windows.ts';

const outside = 'A piece holds 262144 to 16777216 bytes';

test.each([
  [262_143, outside],
  [262_144, null],
  [4_194_304, null],
  [16_777_216, null],
  [16_777_217, outside],
  [0, outside],
  [-262_144, outside],
  [300_000.5, 'A piece is a whole number of bytes'],
  [Number.NaN, 'A piece is a whole number of bytes'],
])('a piece of %d bytes is answered with %j', (bytes, sentence) => {
  expect(checkPieceBytes(bytes)).toBe(sentence);
});

test.each([
  [
    { start: 0, end: 999 },
    { start: 0, end: 99 },
  ],
  [
    { start: 0, end: 9 },
    { start: 0, end: 9 },
  ],
  [
    { start: 99, end: 999 },
    { start: 99, end: 198 },
  ],
  [
    { start: 100, end: 999 },
    { start: 100, end: 199 },
  ],
  [
    { start: 900, end: 999 },
    { start: 900, end: 999 },
  ],
  [
    { start: 900, end: 1_000 },
    { start: 900, end: 999 },
  ],
  [
    { start: 5, end: 5 },
    { start: 5, end: 5 },
  ],
])('of the window %j one answer gives %j at 100 bytes a piece', (asked, given) => {
  expect(shortenWindow(asked, 100)).toEqual(given);
});

test.each([
  [0, 0],
  [1, 1],
  [100, 1],
  [101, 2],
])('a file of %d bytes is kept in %d pieces of 100', (bytes, pieces) => {
  expect(countPieces(bytes, 100)).toBe(pieces);
});

test('the last piece is as long as what is left', () => {
  expect(pieceWindow(0, 250, 100)).toEqual({ start: 0, end: 99 });
  expect(pieceWindow(2, 250, 100)).toEqual({ start: 200, end: 249 });
  expect(pieceWindow(3, 250, 100)).toBeNull();
  expect(pieceWindow(-1, 250, 100)).toBeNull();
});

test('a window touches the pieces that hold its bytes', () => {
  expect(piecesWithin({ start: 0, end: 99 }, 100)).toEqual([0]);
  expect(piecesWithin({ start: 99, end: 100 }, 100)).toEqual([0, 1]);
  expect(piecesWithin({ start: 150, end: 420 }, 100)).toEqual([1, 2, 3, 4]);
});

test('neighbouring pieces that are missing are asked for together', () => {
  expect(missingWindows(new Set([1]), 450, 100)).toEqual([
    { start: 0, end: 99 },
    { start: 200, end: 449 },
  ]);
  expect(missingWindows(new Set([0, 1, 2, 3, 4]), 450, 100)).toEqual([]);
});

test('what is kept and what is missing make up the whole file, each byte once', () => {
  assert(
    property(
      integer({ min: 0, max: 5_000 }),
      integer({ min: 1, max: 700 }),
      setOf(integer({ min: 0, max: 60 })),
      (fileBytes, pieceBytes, kept) => {
        const keptBytes = [...kept]
          .map((piece) => pieceWindow(piece, fileBytes, pieceBytes))
          .reduce((sum, window) => sum + lengthOf(window), 0);
        const missing = missingWindows(kept, fileBytes, pieceBytes);

        expect(keptBytes + missing.reduce((sum, window) => sum + lengthOf(window), 0)).toBe(fileBytes);
        expect(missing.flatMap((window) => piecesWithin(window, pieceBytes)).some((piece) => kept.has(piece))).toBe(
          false,
        );
      },
    ),
  );
});

function lengthOf(window: { start: number; end: number } | null): number {
  return window === null ? 0 : window.end - window.start + 1;
}
