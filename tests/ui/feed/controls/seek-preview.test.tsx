import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hideControls } from '#app/features/feed/controls/controls-store.ts';
import { feed } from '#app/features/feed/feed-state.ts';
import { resetFeed } from '#app/features/feed/feed-store.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { session } from '#app/state/session.ts';
import { FakeLibrary } from '#tests/unit/app/feed/fake-library.ts';
import { feedVideo } from '#tests/unit/app/feed/feed-video.ts';
import { sheetOf } from '#tests/unit/app/ui/storyboard/sheet.ts';
import { settle } from '../../draw.tsx';
import { fakeSheets } from '../../ui/storyboard/fake-sheets.ts';
import { drawPlayingFeed } from '../draw-playing-feed.tsx';

const sheet = sheetOf();
let sheets: ReturnType<typeof fakeSheets>;

beforeEach(async () => {
  vi.useFakeTimers();
  new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f');
  await drawPlayingFeed();
  await show({ storyboard: sheet });
  sheets = fakeSheets();
  layOutLine();
  vi.spyOn(playerOf('top-left'), 'position', 'get').mockReturnValue(20);
  vi.spyOn(playerOf('top-left'), 'duration', 'get').mockReturnValue(200);
  await settle(() => line().setAttribute('max', '200'));
});

afterEach(async () => {
  Reflect.deleteProperty(navigator, 'connection');
  await settle(() => {
    session.features = null;
    hideControls();
    resetFeed();
  });
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The top left quadrant shows a video of 200 s. */
async function show(parts: Parameters<typeof feedVideo>[1]): Promise<void> {
  await settle(() => {
    feed.quadrants['top-left'].shown = feedVideo('v', { durationSeconds: 200, ...parts });
    playerFacts['top-left'].durationSeconds = 200;
  });
  await act(() => vi.dynamicImportSettled());
  await act(() => vi.advanceTimersByTimeAsync(0));
}

/** The line reaches from 100 to 500, its words stand 300 below the top of the quadrant. */
function layOutLine(): void {
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockImplementation(function (this: HTMLElement) {
    if (this.tagName === 'SECTION') return new DOMRect(90, 0, 420, 400);
    return this.tagName === 'INPUT' ? new DOMRect(100, 330, 400, 44) : new DOMRect(100, 300, 400, 24);
  });
}

const quadrant = () => document.querySelector('[data-quadrant=top-left]') as HTMLElement;
const line = () => quadrant().querySelector('[aria-label="Seek"]') as HTMLInputElement;
/** Time and still over the line, as far as they are there. */
const preview = () => {
  const time = [...quadrant().querySelectorAll<HTMLElement>('[aria-hidden="true"] > span')].find(({ textContent }) =>
    /^\d+:\d\d$/.test(textContent),
  );
  const box = time?.parentElement;
  if (!time || !box) return null;
  const still = box.querySelector('div');
  return { time: time.textContent, left: box.style.left, still: still?.style.backgroundPosition ?? null };
};

const point = (clientX: number, pointerType = 'mouse') =>
  settle(() => line().dispatchEvent(new PointerEvent('pointermove', { pointerType, clientX })));
const dragTo = (seconds: number) =>
  settle(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(line(), String(seconds));
    line().dispatchEvent(new Event('input', { bubbles: true }));
  });
const drop = () => settle(() => line().dispatchEvent(new Event('change', { bubbles: true })));
const pressKey = (key: string) =>
  settle(() => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const saveData = () =>
  Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true });

test('nothing is asked for before somebody seeks', () => {
  expect([sheets.asked(), preview()]).toEqual([[], null]);
});

test('a mouse over the line shows its second at once, and the still when the sheet is there, which is asked for once', async () => {
  await point(300);
  expect(preview()).toEqual({ time: '1:40', left: '120px', still: null });
  await settle(sheets.arrive);
  expect(preview()?.still).toBe(`0% ${(5 / 9) * 100}%`);
  await point(500);
  expect(preview()).toEqual({ time: '3:20', left: '240px', still: '100% 100%' });
  await settle(() => line().dispatchEvent(new PointerEvent('pointerleave')));
  expect(preview()).toBeNull();
  await point(300);
  expect([preview()?.still, sheets.asked()]).toEqual([`0% ${(5 / 9) * 100}%`, [sheet.url]]);
});

test('a finger that drags is followed, and nothing is left where it lets go', async () => {
  await point(300, 'touch');
  expect(preview()).toBeNull();
  await dragTo(40);
  await settle(sheets.arrive);
  expect(preview()).toEqual({ time: '0:40', left: '0px', still: `0% ${(2 / 9) * 100}%` });
  await drop();
  expect(preview()).toBeNull();
});

test('a mouse that drags off the line keeps what it drags to', async () => {
  await point(300);
  await dragTo(150);
  await settle(() => line().dispatchEvent(new PointerEvent('pointerleave')));
  expect(preview()?.time).toBe('2:30');
  await drop();
  expect(preview()).toBeNull();
});

test('a step by key, button or arrow shows where it leads, for 1.5 s', async () => {
  const arrow = () => line().dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  const forward = () => quadrant().querySelector<HTMLElement>('[aria-label="Seek forward 1 minute"]')?.click();
  for (const step of [() => pressKey('1'), () => settle(arrow), () => settle(forward)]) {
    await step();
    expect(preview()?.time).toBe('1:20');
    await pass(1_499);
    expect(preview()?.time).toBe('1:20');
    await pass(1);
    expect(preview()).toBeNull();
  }
});

test('the step of another quadrant is not shown here', async () => {
  await settle(() => Object.assign(playerFacts['bottom-left'], { durationSeconds: 200 }));
  await pressKey('3');
  expect(preview()).toBeNull();
});

test('where data is saved a mouse and a step have the time alone, and a drag its stills', async () => {
  saveData();
  await point(300);
  await pressKey('1');
  expect([preview()?.time, sheets.asked()]).toEqual(['1:20', []]);
  await dragTo(40);
  expect(sheets.asked()).toEqual([sheet.url]);
});

test('a video without a sheet has the time of its slider alone', async () => {
  await show({ id: 'w', storyboard: null });
  await point(300);
  await dragTo(40);
  expect([preview(), sheets.asked()]).toEqual([null, []]);
});

test('another video starts without a still of the one before', async () => {
  await point(300);
  await settle(sheets.arrive);
  await show({ id: 'w', storyboard: { ...sheet, url: '/other' } });
  expect(preview()).toBeNull();
  await point(300);
  expect([preview()?.still, sheets.asked()]).toEqual([null, [sheet.url, '/other']]);
});

test('a screen reader hears the slider, and nothing of the still', async () => {
  await dragTo(40);
  expect(line().getAttribute('aria-valuetext')).toMatch(/^0:40 /);
  expect(quadrant().querySelector('[aria-hidden="true"] > span')?.closest('[aria-live]')).toBeNull();
});

test('who may not control videos has no preview either', async () => {
  await settle(() => {
    session.features = { ...session.features, video_controls: false } as typeof session.features;
  });
  await point(300);
  expect(preview()).toBeNull();
});
