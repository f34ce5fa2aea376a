import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Third } from '#app/platform/input/gesture-reader.ts';
import { GestureReader } from '#app/platform/input/gesture-reader.ts';

let heard: string[];
let reader: GestureReader;

beforeEach(() => {
  vi.useFakeTimers();
  heard = [];
  reader = new GestureReader({
    onTap: () => heard.push('tap'),
    onDoubleTap: () => heard.push('double tap'),
    onSwipe: (direction) => heard.push(`swipe ${direction}`),
    onLongPress: () => heard.push('long press'),
    onPinch: (direction) => heard.push(`pinch ${direction}`),
  });
});

afterEach(() => vi.useRealTimers());

const tap = () => {
  reader.press();
  reader.release();
  reader.tap();
};

test('a tap is heard at once, and a second one soon after makes a double tap of it', () => {
  tap();
  expect(heard).toEqual(['tap']);
  vi.advanceTimersByTime(300);
  tap();
  expect(heard).toEqual(['tap', 'double tap']);
});

test('two taps with time between them are two taps', () => {
  tap();
  vi.advanceTimersByTime(301);
  tap();
  expect(heard).toEqual(['tap', 'tap']);
});

test('three quick taps are a double tap and a tap', () => {
  for (let times = 0; times < 3; times += 1) tap();
  expect(heard).toEqual(['tap', 'double tap', 'tap']);
});

test('where nobody waits for a double tap every tap counts', () => {
  const onTap = vi.fn();
  reader = new GestureReader({ onTap });
  tap();
  tap();
  expect(onTap).toHaveBeenCalledTimes(2);
});

test('a finger that stays is a long press while it is still down, and no tap', () => {
  reader.press();
  vi.advanceTimersByTime(500);
  expect(heard).toEqual(['long press']);
  reader.release();
  reader.tap();
  expect(heard).toEqual(['long press']);
});

test('a finger that moves is no long press', () => {
  reader.press();
  reader.move(20, 0);
  vi.advanceTimersByTime(1_000);
  expect(heard).toEqual([]);
});

/** A finger that is at these places, 10 ms after each other, and is lifted there. */
const go = (...places: (readonly [number, number])[]) => {
  reader.press(1, false, 0);
  for (const [at, [x, y]] of places.entries()) reader.move(x, y, 10 * (at + 1));
  reader.release();
  reader.lift(10 * places.length);
};

const places = (count: number, stepX: number, stepY = 0) =>
  Array.from({ length: count }, (_, at) => [(at + 1) * stepX, (at + 1) * stepY] as const);

test.each([
  ['to the left', places(8, -10), ['swipe left']],
  ['to the right', places(8, 10), ['swipe right']],
  ['of 48 px at 0.3 px/ms', places(16, 3), ['swipe right']],
  ['of 47 px', places(1, 47), []],
  ['slower than that', places(40, 2), []],
  ['up', places(8, 0, -10), []],
  ['more down than to the side', places(8, 8, 9), []],
  ['that slows down before it is lifted', [...places(8, -10), [-81, 0], [-81, 0]] as const, ['swipe left']],
  [
    'that was slow at first',
    [...places(60, -0.5), ...places(4, -10).map(([x]) => [x - 30, 0] as const)],
    ['swipe left'],
  ],
  ['that comes back', [...places(10, 20), ...places(10, -10).map(([x]) => [200 + x, 0] as const)], []],
])('a movement %s', (_, way, expected) => {
  go(...way);
  expect(heard).toEqual(expected);
});

test('a finger that stands before it is lifted has not swiped', () => {
  reader.press(1, false, 0);
  for (const [at, [x, y]] of places(8, 10).entries()) reader.move(x, y, 10 * at);
  reader.lift(300);
  expect(heard).toEqual([]);
});

test('two fingers are neither taps nor a swipe nor a long press, whichever is lifted first', () => {
  reader.press(1);
  reader.press(2);
  vi.advanceTimersByTime(1_000);
  reader.release(2);
  reader.tap();
  for (const x of [30, 60, 90]) reader.move(x, 0);
  reader.release(1);
  reader.lift();
  expect(heard).toEqual([]);
  tap();
  expect(heard).toEqual(['tap']);
});

test('a third finger ends a pinch', () => {
  for (const finger of [1, 2, 3]) reader.press(finger);
  reader.pinch(2);
  expect(heard).toEqual([]);
});

test('a finger that was lifted elsewhere is forgotten', () => {
  reader.press(1);
  reader.forget();
  reader.press(2);
  reader.tap();
  expect(heard).toEqual(['tap']);
});

test.each([
  [1.2, 'out'],
  [0.8, 'in'],
])('two fingers at %f of their distance pinch %s, once', (scale, direction) => {
  reader.press();
  for (const now of [1, 1.05, scale, scale]) reader.pinch(now);
  for (const x of [30, 60, 90]) reader.move(x, 0);
  reader.lift();
  reader.tap();
  expect(heard).toEqual([`pinch ${direction}`]);
});

describe('where outer thirds seek', () => {
  beforeEach(() => {
    reader = new GestureReader({
      onTap: () => heard.push('tap'),
      onDoubleTap: () => heard.push('double tap'),
      onSteps: (direction, count, isOver) => heard.push(`${direction * count}${isOver ? ' over' : ''}`),
      onPull: (direction) => heard.push(`pulled ${direction}`),
      onSwipe: (direction) => heard.push(`swipe ${direction}`),
    });
  });

  const tapOn = (third: Third) => {
    reader.press();
    reader.release();
    reader.tap(third);
  };

  test('a tap in an outer third is heard after 250 ms, one in the middle at once', () => {
    tapOn('left');
    vi.advanceTimersByTime(249);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(heard).toEqual(['tap']);
    tapOn('middle');
    expect(heard).toEqual(['tap', 'tap']);
  });

  test('a double tap on the right counts each further tap within 600 ms, and is over once', () => {
    tapOn('right');
    vi.advanceTimersByTime(200);
    tapOn('right');
    vi.advanceTimersByTime(599);
    tapOn('right');
    vi.advanceTimersByTime(600);
    expect(heard).toEqual(['1', '2', '2 over']);
    vi.advanceTimersByTime(5_000);
    tapOn('right');
    vi.advanceTimersByTime(5_000);
    expect(heard).toEqual(['1', '2', '2 over', 'tap']);
  });

  test('taps that a busy page hears late are a double tap by the clock of their events', () => {
    reader.press(1, false, 1_000);
    reader.tap('right', 1_060);
    vi.advanceTimersByTime(2_000);
    reader.press(1, false, 1_200);
    reader.tap('right', 1_260);
    expect(heard).toEqual(['tap', '1']);
  });

  test('a tap elsewhere ends the count and begins anew', () => {
    tapOn('left');
    tapOn('left');
    tapOn('middle');
    tapOn('middle');
    expect(heard).toEqual(['-1', '-1 over', 'tap', 'double tap']);
  });

  test('a tap beside the border of a third means the third of the one before', () => {
    for (const [third, x] of [
      ['left', 60],
      ['middle', 70],
      ['middle', 85],
    ] as const) {
      reader.press();
      reader.tap(third, Date.now(), x);
    }
    expect(heard).toEqual(['-1', '-2']);
  });

  test('two taps in different thirds are two taps', () => {
    tapOn('left');
    tapOn('right');
    vi.advanceTimersByTime(250);
    expect(heard).toEqual(['tap']);
  });

  test('a finger that began at a side of the window does nothing', () => {
    reader.press(1, true);
    vi.advanceTimersByTime(1_000);
    reader.move(80, 0);
    reader.lift();
    reader.release();
    reader.press(1, true);
    reader.tap('left');
    vi.advanceTimersByTime(1_000);
    expect(heard).toEqual([]);
  });

  test('a finger says where it leads while it is down, and springs back', () => {
    reader.press();
    for (const x of [-10, -16, -40, -12]) reader.move(x, 4);
    reader.move(-60, 80);
    vi.advanceTimersByTime(100);
    reader.move(-50, 0);
    reader.release();
    reader.lift();
    expect(heard).toEqual(['pulled left', 'pulled null', 'pulled left', 'pulled null', 'swipe left']);
  });

  test('a count that is under way when the element goes is over then', () => {
    tapOn('left');
    tapOn('left');
    reader.end();
    expect(heard).toEqual(['-1', '-1 over']);
  });
});
