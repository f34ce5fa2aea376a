import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeQuadrantMenu, controls, hideControls, quadrantMenu } from '#app/features/feed/controls/controls-store.ts';
import { feed } from '#app/features/feed/feed-state.ts';
import { resetFeed } from '#app/features/feed/feed-store.ts';
import { comingOf } from '#app/features/feed/quadrant/quadrant.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FakeLibrary } from '#tests/unit/app/feed/fake-library.ts';
import { settle } from '../../draw.tsx';
import { drawPlayingFeed } from '../draw-playing-feed.tsx';

/** The middle of each quadrant of a window of 800 × 600. */
const middles: Record<Quadrant, readonly [number, number]> = {
  'top-left': [200, 150],
  'top-right': [600, 150],
  'bottom-left': [200, 450],
  'bottom-right': [600, 450],
};

beforeEach(async () => {
  vi.useFakeTimers();
  new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f');
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const [x, y] = middles[this.dataset.quadrant as Quadrant] ?? [-1000, -1000];
    return new DOMRect(x - 200, y - 150, 400, 300);
  });
  await drawPlayingFeed();
  await act(() => vi.dynamicImportSettled());
});

afterEach(async () => {
  await settle(() => {
    closeQuadrantMenu();
    hideControls();
    resetFeed();
  });
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const section = (quadrant: Quadrant) => document.querySelector(`section[data-quadrant="${quadrant}"]`) as HTMLElement;
const handle = () => section('top-left').querySelector<HTMLElement>('[aria-label="Move to..."]');
const marks = () => quadrants.map((quadrant) => section(quadrant).dataset.drag);
const coming = () => quadrants.map((quadrant) => comingOf(feed.quadrants[quadrant])?.id);
const atRest = [undefined, undefined, undefined, undefined];

function point(type: string, [clientX, clientY]: readonly [number, number]): Promise<void> {
  const held = type === 'pointermove' || type === 'pointerdown';
  return settle(
    () =>
      void handle()?.dispatchEvent(
        new PointerEvent(type, { clientX, clientY, pointerId: 1, buttons: held ? 1 : 0, bubbles: true }),
      ),
  );
}

async function carryTo(place: readonly [number, number]): Promise<void> {
  await point('pointerdown', [380, 20]);
  await point('pointermove', [360, 60]);
  await point('pointermove', place);
}

test('dragged onto another quadrant, a picture changes places with its own, and the controls go with it', async () => {
  await carryTo(middles['bottom-right']);
  expect(marks()).toEqual(['lifted', undefined, undefined, 'target']);
  expect(section('top-left').style.getPropertyValue('--drag-x')).toBe('400px');

  await point('pointerup', middles['bottom-right']);

  expect(coming()).toEqual(['bottom-right', undefined, undefined, 'top-left']);
  expect(controls.active).toBe('bottom-right');
  expect(marks()).toEqual(atRest);
});

test('only the quadrant below the pointer is marked', async () => {
  await carryTo(middles['bottom-right']);
  await point('pointermove', middles['top-right']);
  expect(marks()).toEqual(['lifted', 'target', undefined, undefined]);
  await point('pointermove', middles['top-left']);
  expect(marks()).toEqual(['lifted', undefined, undefined, undefined]);
});

const outside = [900, 700] as const;

test.each([
  { how: 'on its own place', over: middles['top-left'], end: () => point('pointerup', middles['top-left']) },
  { how: 'outside of the four', over: outside, end: () => point('pointerup', outside) },
  { how: 'by Escape', over: middles['bottom-right'], end: () => settle(() => void backStack().goBack()) },
  {
    how: 'by the system, which takes the pointer away',
    over: middles['bottom-right'],
    end: () => point('pointercancel', middles['bottom-right']),
  },
])('a drag that ends $how changes nothing', async ({ over, end }) => {
  await carryTo(middles['bottom-right']);
  await point('pointermove', over);
  await end();
  await vi.waitFor(() => expect(marks()).toEqual(atRest));
  await point('pointerup', middles['bottom-right']);
  expect(coming()).toEqual(atRest);
  expect(controls.active).toBe('top-left');
});

const click = () =>
  settle(() => void handle()?.dispatchEvent(new MouseEvent('click', { detail: 1, bubbles: true, cancelable: true })));

test('a press of an unsteady finger opens the menu that does the same', async () => {
  await point('pointerdown', [380, 20]);
  for (const shake of [3, -3, 4, -4, 3]) await point('pointermove', [380 + shake, 20 - shake]);
  await point('pointerup', [383, 22]);
  await click();
  expect(quadrantMenu.of).toBe('top-left');
  expect(coming()).toEqual(atRest);
});

test('a drag does not end in a press', async () => {
  await carryTo(outside);
  await point('pointerup', outside);
  await click();
  expect(quadrantMenu.of).toBeNull();
});

test('while a picture is carried, the controls stay', async () => {
  await carryTo(middles['bottom-right']);
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(controls.active).toBe('top-left');
  await point('pointercancel', middles['bottom-right']);
  await act(() => vi.advanceTimersByTimeAsync(2_500));
  expect(controls.active).toBeNull();
});

test('an expanded quadrant has no handle', async () => {
  expect(handle()).toBeTruthy();
  await settle(() => Object.assign(feed, { expanded: 'top-left' }));
  expect(handle()).toBeNull();
});

test('the handle has no effect while one of the four has no video', async () => {
  await settle(() => Object.assign(feed.quadrants['bottom-left'], { shown: null }));
  expect(handle()?.getAttribute('aria-disabled')).toBe('true');
  await carryTo(middles['bottom-right']);
  expect(marks()).toEqual(atRest);
});

test('a picture that is carried goes back when another one goes', async () => {
  await carryTo(middles['bottom-right']);
  await settle(() => Object.assign(feed.quadrants['bottom-left'], { shown: null }));
  expect(marks()).toEqual(atRest);
});
