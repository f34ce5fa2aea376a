import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
