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
  reader.move();
  vi.advanceTimersByTime(1_000);
  expect(heard).toEqual([]);
});

test.each([
  [-1, 0, 'left'],
  [1, 0, 'right'],
  [0, -1, 'up'],
  [0, 1, 'down'],
])('a swipe of %i, %i goes %s', (x, y, direction) => {
  reader.press();
  reader.swipe(x, y);
  expect(heard).toEqual([`swipe ${direction}`]);
});

test('a drag that is too slow for a swipe is nothing', () => {
  reader.press();
  reader.swipe(0, 0);
  expect(heard).toEqual([]);
});

test.each([
  [1.2, 'out'],
  [0.8, 'in'],
])('two fingers at %f of their distance pinch %s, once', (scale, direction) => {
  reader.press();
  for (const now of [1, 1.05, scale, scale]) reader.pinch(now);
  reader.swipe(1, 0);
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
    reader.press(false, 1_000);
    reader.tap('right', 1_060);
    vi.advanceTimersByTime(2_000);
    reader.press(false, 1_200);
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

  test('two taps in different thirds are two taps', () => {
    tapOn('left');
    tapOn('right');
    vi.advanceTimersByTime(250);
    expect(heard).toEqual(['tap']);
  });

  test('a finger that began at a side of the window does nothing', () => {
    reader.press(true);
    vi.advanceTimersByTime(1_000);
    reader.pull(80, 0);
    reader.swipe(1, 0);
    reader.release();
    reader.press(true);
    reader.tap('left');
    vi.advanceTimersByTime(1_000);
    expect(heard).toEqual([]);
  });

  test('a finger says where it leads while it is down, and springs back', () => {
    reader.press();
    for (const x of [-10, -16, -40, -12]) reader.pull(x, 4);
    reader.pull(-60, 80);
    reader.pull(-30, 0);
    reader.swipe(-1, 0);
    reader.release();
    expect(heard).toEqual(['pulled left', 'pulled null', 'pulled left', 'pulled null', 'swipe left']);
  });

  test('a count that is under way when the element goes is over then', () => {
    tapOn('left');
    tapOn('left');
    reader.end();
    expect(heard).toEqual(['-1', '-1 over']);
  });
});
