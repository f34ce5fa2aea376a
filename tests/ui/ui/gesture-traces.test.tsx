import { useMemo, useRef } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Gestures } from '#app/platform/input/gesture-reader.ts';
import { GestureListener } from '#app/platform/input/gestures.ts';
import { draw } from '../draw.tsx';

const [left, width, height] = [100, 300, 200];
let heard: string[];

function Target() {
  const target = useRef<HTMLDivElement>(null);
  const gestures = useMemo(
    (): Gestures => ({
      onTap: () => heard.push('tap'),
      onDoubleTap: () => heard.push('double tap'),
      onSteps: (direction, count, isOver) => isOver && heard.push(`seek ${direction * count}`),
      onSwipe: (direction) => heard.push(`swipe ${direction}`),
      onLongPress: () => heard.push('long press'),
    }),
    [],
  );
  return (
    <>
      <div ref={target} id="target" />
      <GestureListener target={target} gestures={gestures} />
    </>
  );
}

beforeEach(async () => {
  vi.useFakeTimers();
  heard = [];
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(left, 0, width, height));
  await draw(<Target />);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

let state = 30;

/** Whole numbers below a limit, the same in each run (the linear congruence of Numerical Recipes). */
function random(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

const between = (least: number, most: number) => least + random(most - least + 1);

function point(type: string, x: number, y: number): void {
  const event = new PointerEvent(type, {
    ...{ bubbles: true, cancelable: true, pointerType: 'touch', pointerId: 1, isPrimary: true },
    ...{ clientX: x, clientY: y, buttons: type === 'pointerup' ? 0 : 1 },
  });
  Object.defineProperty(event, 'timeStamp', { value: Date.now() });
  (document.getElementById('target') as HTMLElement).dispatchEvent(event);
}

const wait = (ms: number) => vi.advanceTimersByTime(ms);

/** A finger that goes from one place to another in `ms`, unsteadily, and is lifted or taken away. */
function stroke({
  from,
  by,
  ms,
  end = 'pointerup',
}: {
  from: [number, number];
  by: [number, number];
  ms: number;
  end?: string;
}): void {
  const steps = Math.max(2, Math.round(ms / 16));
  point('pointerdown', ...from);
  for (let step = 1; step <= steps; step += 1) {
    wait(ms / steps);
    const [x, y] = [0, 1].map((axis) => (from[axis] ?? 0) + ((by[axis] ?? 0) * step) / steps + between(-1, 1));
    point('pointermove', x ?? 0, y ?? 0);
  }
  point(end, from[0] + by[0], from[1] + by[1]);
}

const inThird = (third: 0 | 1 | 2): [number, number] => [left + third * 100 + between(12, 88), between(20, 180)];
const tapAt = ([x, y]: [number, number]) =>
  stroke({ from: [x, y], by: [between(-3, 3), between(-3, 3)], ms: between(40, 140) });

function tapTimes(times: number, third: 0 | 1 | 2): void {
  for (let tap = 0; tap < times; tap += 1) {
    if (tap > 0) wait(between(40, 120));
    tapAt(inThird(third));
  }
}

const sign = () => (random(2) === 0 ? -1 : 1);

/** What a person does; gives what has to be heard of it. */
const traces: Readonly<Record<string, () => string[]>> = {
  tap() {
    tapTimes(1, random(3) as 0 | 1 | 2);
    return ['tap'];
  },
  'tap of a finger that does not move at all'() {
    const [x, y] = inThird(1);
    point('pointerdown', x, y);
    wait(60);
    point('pointerup', x, y);
    return ['tap'];
  },
  'double tap on the left'() {
    tapTimes(2, 0);
    return ['seek -1'];
  },
  'double tap on the right'() {
    tapTimes(2, 2);
    return ['seek 1'];
  },
  'three to five taps'() {
    const [times, isRight] = [between(3, 5), random(2) === 1];
    tapTimes(times, isRight ? 2 : 0);
    return [`seek ${(isRight ? 1 : -1) * (times - 1)}`];
  },
  'double tap in the middle'() {
    tapTimes(2, 1);
    return ['tap', 'double tap'];
  },
  swipe() {
    const direction = sign();
    stroke({ from: inThird(1), by: [direction * between(60, 140), between(-15, 15)], ms: between(80, 170) });
    return [`swipe ${direction < 0 ? 'left' : 'right'}`];
  },
  'slow drag'() {
    stroke({ from: inThird(1), by: [sign() * between(60, 140), 0], ms: between(900, 1_500) });
    return [];
  },
  'short pull'() {
    stroke({ from: inThird(1), by: [sign() * between(20, 40), 0], ms: between(80, 200) });
    return [];
  },
  'long press'() {
    stroke({ from: inThird(1), by: [between(-3, 3), 0], ms: between(650, 1_200) });
    return ['long press'];
  },
  'swipe from the side of the window'() {
    stroke({ from: [between(0, 22), 80], by: [120, 0], ms: 120 });
    return [];
  },
  palm() {
    const by: [number, number] = [between(-8, 8), between(-8, 8)];
    stroke({ from: inThird(1), by, ms: between(50, 300), end: 'pointercancel' });
    return [];
  },
};

const each = 20;

test('of 240 touches 97 of 100 are understood, no long press comes with a swipe, and no tap with a seek', () => {
  const misread: string[] = [];
  for (const [name, act] of Object.entries(traces))
    for (let time = 0; time < each; time += 1) {
      heard = [];
      const expected = act();
      wait(2_000);
      if (heard.join() !== expected.join()) misread.push(`${name}: ${heard.join()} for ${expected.join()}`);
      if (name.includes('swipe') || name.includes('drag')) expect(heard, name).not.toContain('long press');
      if (heard.some((one) => one.startsWith('seek'))) expect(heard, name).not.toContain('tap');
    }
  const count = Object.keys(traces).length * each;
  expect(count).toBeGreaterThanOrEqual(200);
  expect(misread.length / count, misread.join('\n')).toBeLessThanOrEqual(0.03);
});
