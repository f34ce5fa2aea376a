import { expect, test } from 'vitest';
import { startPosition } from '#app/features/feed/supply/start-position.ts';

const table: Array<[string, number | null, number[], number]> = [
  ['nobody shows it', 60, [], 0],
  ['its length is unknown', null, [10], 0],
  ['another quadrant has just begun it', 60, [0], 30],
  ['another quadrant is past its middle', 60, [40], 10],
  ['two others are close together', 60, [10, 14], 42],
  ['the widest stretch lies between two others', 60, [5, 55], 30],
  ['three others are spread', 60, [0, 15, 30], 45],
];

test.each(table)('a video starts apart from the others: %s', (_, duration, taken, second) => {
  expect(startPosition(duration, taken)).toBe(second);
});
