import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CardStills } from '#app/ui/media/card-stills.tsx';
import { sheetOf } from '#tests/unit/app/ui/storyboard/sheet.ts';
import { draw, settle } from '../../draw.tsx';
import { fakeSheets } from './fake-sheets.ts';

const sheet = sheetOf({ columns: 4, rows: 1, interval_seconds: 10 });
let sheets: ReturnType<typeof fakeSheets>;

beforeEach(() => {
  vi.useFakeTimers();
  sheets = fakeSheets();
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(100, 0, 200, 112));
});

afterEach(() => {
  document.documentElement.removeAttribute('data-input');
  Reflect.deleteProperty(navigator, 'connection');
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const card = () => document.querySelector('button') as HTMLButtonElement;
const still = () => document.querySelector<HTMLElement>('[aria-hidden="true"]');
/** Which of the four is seen; null: none. */
const place = () => {
  const shown = still()?.style.backgroundPosition;
  return shown === undefined ? null : Math.round((Number.parseFloat(shown) / 100) * 3);
};

const drawCard = (input: string) => {
  document.documentElement.dataset.input = input;
  return draw(
    <button type="button">
      <CardStills sheet={sheet} durationSeconds={40} />
      pier.mp4
    </button>,
  );
};
const point = (clientX: number, pointerType = 'mouse') =>
  settle(() => card().dispatchEvent(new PointerEvent('pointermove', { pointerType, clientX, bubbles: true })));
const leave = () => settle(() => card().dispatchEvent(new PointerEvent('pointerleave')));
const focus = () => settle(() => card().focus());
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('a card asks for its sheet when a mouse comes, once, and shows the still under it until it leaves', async () => {
  await drawCard('pointer');
  expect(sheets.asked()).toEqual([]);
  await point(180);
  expect([sheets.asked(), place()]).toEqual([[sheet.url], null]);
  await settle(sheets.arrive);
  expect(place()).toBe(1);
  await point(299);
  expect(place()).toBe(3);
  await leave();
  expect(place()).toBeNull();
  await point(101);
  expect([place(), sheets.asked()]).toEqual([0, [sheet.url]]);
});

test.each(['remote', 'key'])('the focus of a %s walks from still to still, one a second, and round', async (input) => {
  await drawCard(input);
  await focus();
  await settle(sheets.arrive);
  const seen = [place()];
  for (let second = 1; second <= 4; second += 1) {
    await pass(1_000);
    seen.push(place());
  }
  expect(seen).toEqual([0, 1, 2, 3, 0]);
  await settle(() => card().blur());
  expect(place()).toBeNull();
  expect(vi.getTimerCount()).toBe(0);
});

test('with reduced motion nothing walks, and a mouse still leads', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) => ({ matches: query === '(prefers-reduced-motion: reduce)' }) as MediaQueryList,
  );
  await drawCard('key');
  await focus();
  expect([sheets.asked(), vi.getTimerCount()]).toEqual([[], 0]);
  await point(180);
  await settle(sheets.arrive);
  expect(place()).toBe(1);
});

test.each(['touch', 'pen'])('by %s nothing is asked for', async (pointerType) => {
  await drawCard('touch');
  await point(180, pointerType);
  await focus();
  expect(sheets.asked()).toEqual([]);
});

test('where data is saved nothing is asked for', async () => {
  Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true });
  await drawCard('key');
  await point(180);
  await focus();
  expect([sheets.asked(), vi.getTimerCount()]).toEqual([[], 0]);
});

test('a card that leaves the page walks no more', async () => {
  const screen = await drawCard('key');
  await focus();
  expect(vi.getTimerCount()).toBe(1);
  await settle(() => card().blur());
  expect([screen.textContent, vi.getTimerCount()]).toEqual(['pier.mp4', 0]);
});
