import { act } from 'react';
import { subscribe } from 'valtio/vanilla';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  closeQuadrantMenu,
  controls,
  hideControls,
  openQuadrantMenu,
  quadrantMenu,
} from '#app/features/feed/controls/controls-store.ts';
import { collapse, expand, feed } from '#app/features/feed/feed-state.ts';
import { resetFeed } from '#app/features/feed/feed-store.ts';
import { machines } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { watchScreenForm } from '#app/platform/input/screen-form.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { stepSeconds } from '#app/state/may.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FakeLibrary } from '#tests/unit/app/feed/fake-library.ts';
import { feedVideo } from '#tests/unit/app/feed/feed-video.ts';
import { settle } from '../../draw.tsx';
import { drawPlayingFeed } from '../draw-playing-feed.tsx';
import type { FingerEvent, ScreenSize, Trace } from '../finger-traces.ts';
import { FingerTraces, kinds } from '../finger-traces.ts';

// The recogniser looks for it when it loads.
vi.hoisted(() => Object.defineProperty(navigator, 'maxTouchPoints', { value: 5 }));

const windows: readonly ScreenSize[] = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1024, height: 768 },
];
/** The position in each video, in seconds. */
const position = 300;

/** Nothing waits longer for a further touch. */
const waitsMs = 700;

const acts: Readonly<Record<string, string>> = { skip: 'skip', 'skip-back': 'back', pin: 'pin', unpin: 'pin' };

/** What the quadrants are told, in order. */
let told: string[];
let size: ScreenSize;

beforeEach(async () => {
  vi.useFakeTimers();
  new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f');
  size = windows[0] as ScreenSize;
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    const quadrant = this.closest<HTMLElement>('[data-quadrant]')?.dataset.quadrant ?? 'top-left';
    const [width, height] = [size.width / 2, size.height / 2];
    return new DOMRect(
      quadrant.endsWith('right') ? width : 0,
      quadrant.startsWith('bottom') ? height : 0,
      width,
      height,
    );
  });
  watchScreenForm();
  await drawPlayingFeed();
  await act(() => vi.dynamicImportSettled());
  for (const quadrant of quadrants) {
    feed.quadrants[quadrant].past = [feedVideo(`before-${quadrant}`)];
    playerFacts[quadrant].durationSeconds = 600;
    const player = playerOf(quadrant);
    vi.spyOn(player, 'position', 'get').mockReturnValue(position);
    vi.spyOn(player, 'seekTo').mockImplementation((to) => void told.push(`seek ${(to - position) / stepSeconds()}`));
    vi.spyOn(machines[quadrant], 'send').mockImplementation(({ type }) => {
      if (type in acts) told.push(acts[type] as string);
    });
  }
  // The menu's file is there when a finger asks for it.
  await settle(() => openQuadrantMenu('top-left'));
  await act(() => vi.dynamicImportSettled());
  await settle(closeQuadrantMenu);
  await settle(hideControls);
  let active: string | null = null;
  let expanded: string | null = null;
  let menu: string | null = null;
  subscribe(
    controls,
    () => {
      if (controls.active !== null && active === null) told.push('controls');
      active = controls.active;
    },
    true,
  );
  subscribe(
    feed,
    () => {
      if (feed.expanded !== expanded) told.push(feed.expanded === null ? 'collapse' : 'expand');
      expanded = feed.expanded;
    },
    true,
  );
  subscribe(
    quadrantMenu,
    () => {
      if (quadrantMenu.of !== null && menu === null) told.push('menu');
      if (quadrantMenu.of === null && menu !== null) told.push('menu closed');
      menu = quadrantMenu.of;
    },
    true,
  );
  told = [];
});

afterEach(async () => {
  await settle(resetFeed);
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function dispatch(target: Element, { type, finger, x, y, size: width, pressure }: FingerEvent, isFirst: boolean): void {
  const place = { bubbles: true, cancelable: true, clientX: x, clientY: y };
  const isPointer = type.startsWith('pointer');
  const event = isPointer
    ? new PointerEvent(type, {
        ...place,
        ...{ pointerType: 'touch', pointerId: finger, isPrimary: isFirst, width, height: width, pressure },
        buttons: type === 'pointerup' || type === 'pointercancel' ? 0 : 1,
      })
    : new MouseEvent(type, place);
  Object.defineProperty(event, 'timeStamp', { value: Date.now() });
  target.dispatchEvent(event);
}

async function play({ quadrant, events }: Trace): Promise<void> {
  const target = document.querySelector(`section[data-quadrant=${quadrant}] video`) as Element;
  const first = events[0]?.finger;
  let passed = 0;
  for (const event of events) {
    const ms = Math.round(event.at) - passed;
    passed += ms;
    if (ms > 0) vi.advanceTimersByTime(ms);
    if (event.type !== 'click') dispatch(target, event, event.finger === first);
  }
}

/** A click goes to what has been drawn by now, such as the area around a menu. */
async function click({ quadrant, events }: Trace): Promise<void> {
  const target =
    document.querySelector('[role="dialog"]')?.previousElementSibling ??
    (document.querySelector(`section[data-quadrant=${quadrant}] video`) as Element);
  for (const event of events) if (event.type === 'click') await settle(() => dispatch(target, event, true));
}

/** Nothing is left of the trace before. */
async function clear(): Promise<void> {
  await settle(() => {
    closeQuadrantMenu();
    hideControls();
    collapse();
  });
  await act(() => vi.advanceTimersByTimeAsync(0));
}

const seed = 30;
const each = 12;

test('of 204 touches 97 of 100 are understood; no swipe opens a menu or pins, no seek shows controls', async () => {
  const misread: string[] = [];
  let count = 0;
  for (const kind of Object.keys(kinds))
    for (let time = 0; time < each; time += 1) {
      count += 1;
      const own = seed * 10_000 + count;
      const traces = new FingerTraces(own, windows);
      size = traces.window;
      Object.assign(window, { innerWidth: size.width, innerHeight: size.height });
      const trace = traces.trace(kind);
      if (trace.isExpanded) await settle(() => expand(trace.quadrant));
      told = [];
      await act(() => play(trace));
      await click(trace);
      await act(() => vi.advanceTimersByTimeAsync(waitsMs));
      const heard = [...told];
      const events = trace.events.map(
        ({ at, type, finger, x, y }) => `${type.slice(7)}${finger}@${at.toFixed()}:${x.toFixed()},${y.toFixed()}`,
      );
      const report = `seed ${own}, ${kind} in ${traces.describe()}: '${heard}' in place of '${trace.expected}': ${events.join(' ')}`;
      if (heard.join() !== trace.expected.join()) misread.push(report);
      if (/swipe|drag|pull/.test(kind)) expect(heard, report).not.toEqual(expect.arrayContaining(['menu']));
      expect(heard, report).not.toEqual(expect.arrayContaining(['pin']));
      expect(heard, report).not.toContain('menu closed');
      if (heard.some((one) => one.startsWith('seek'))) expect(heard, report).not.toContain('controls');
      await clear();
    }
  expect(count).toBeGreaterThanOrEqual(200);
  expect(misread.length / count, misread.join('\n')).toBeLessThanOrEqual(0.03);
});
