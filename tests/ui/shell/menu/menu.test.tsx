import { act } from 'react';
import { proxy, useSnapshot } from 'valtio';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { controls } from '#app/features/feed/controls/controls-store.ts';
import { formChanged } from '#app/platform/input/screen-form.ts';
import { Menu } from '#app/shell/menu/menu.tsx';
import { followPointer } from '#app/start/handover.ts';
import { closeMenu, navigation, openDialog, openMenu, openView, resetNavigation } from '#app/state/navigation.ts';
import { button, draw, press, settle } from '../../draw.tsx';
import { layOut } from '../../laid-out.ts';

vi.mock('#app/features/feed/feed-screen.tsx', () => ({ FeedScreen: () => null }));

const beForm = (form: string) =>
  settle(() => {
    document.documentElement.dataset.form = form;
    formChanged.emit();
  });

const wake = (quadrant: typeof controls.active) =>
  settle(() => {
    controls.active = quadrant;
  });

const point = (x: number, more: PointerEventInit = {}) =>
  settle(() => window.dispatchEvent(new PointerEvent('pointermove', { clientX: x, pointerType: 'mouse', ...more })));

const touch = (x: number) =>
  settle(() => window.dispatchEvent(new PointerEvent('pointerdown', { clientX: x, pointerType: 'touch' })));

const arrive = () => act(() => vi.dynamicImportSettled());

beforeEach(async () => {
  layOut();
  resetNavigation();
  await beForm('desktop');
});

afterEach(async () => {
  await settle(resetNavigation);
  await wake(null);
  await beForm('desktop');
  vi.restoreAllMocks();
});

test('the menu comes when the pointer is within 10 px of the left edge and leaves when it is beyond 220', async () => {
  await draw(<Menu isFeed />);
  await point(11);
  expect(navigation.isMenuOpen).toBe(false);
  await point(10);
  expect(navigation.isMenuOpen).toBe(true);
  await point(220);
  expect(navigation.isMenuOpen).toBe(true);
  await point(221);
  expect(navigation.isMenuOpen).toBe(false);
});

test.each([
  ['at the edge opens it', [[400], [4]], true],
  ['elsewhere does not', [[4], [400]], false],
  ['with a button held does not', [[4, { buttons: 1 }]], false],
  ['without a movement since the page came does not', [[4, { movementX: 0 }]], false],
  ['that left the page does not', [[4], [-1, { type: 'pointerout' }]], false],
] as const)('a mouse that came to rest before the menu was there, %s', async (_, moves, isOpen) => {
  followPointer();
  for (const [x, more] of moves) {
    const { type = 'pointermove', ...facts } = (more ?? {}) as PointerEventInit & { type?: string };
    window.dispatchEvent(
      new PointerEvent(type, { clientX: x, movementX: 1, pointerType: 'mouse', relatedTarget: null, ...facts }),
    );
  }
  await draw(<Menu isFeed />);
  expect(navigation.isMenuOpen).toBe(isOpen);
});

test.each([
  ['at the edge opens it', [4], true],
  ['elsewhere does not', [400], false],
  ['at the edge and then elsewhere does not', [4, 400], false],
] as const)('a touch before the menu was there, %s', async (_, places, isOpen) => {
  await beForm('tablet');
  followPointer();
  for (const clientX of places) {
    for (const type of ['pointerdown', 'pointerup', 'pointerout'])
      window.dispatchEvent(new PointerEvent(type, { clientX, pointerType: 'touch', relatedTarget: null }));
  }
  await draw(<Menu isFeed />);
  expect(navigation.isMenuOpen).toBe(isOpen);
});

test('a mouse that came to rest at the edge while no menu was drawn opens the next one', async () => {
  const drawn = proxy({ isThere: true });
  const Sometimes = () => useSnapshot(drawn).isThere && <Menu isFeed />;
  await draw(<Sometimes />);
  await settle(() => Object.assign(drawn, { isThere: false }));
  await point(4, { movementX: 1 });
  expect(navigation.isMenuOpen).toBe(false);
  await settle(() => Object.assign(drawn, { isThere: true }));
  expect(navigation.isMenuOpen).toBe(true);
});

test('a pointer that drags something, and one over a dialog, open no menu', async () => {
  await draw(<Menu isFeed />);
  await point(3, { buttons: 1 });
  expect(navigation.isMenuOpen).toBe(false);
  await settle(() => openDialog('sign-in'));
  await point(3);
  expect(navigation.isMenuOpen).toBe(false);
});

test('a touch at the left edge opens it, a touch elsewhere does not', async () => {
  await beForm('tablet');
  await draw(<Menu isFeed />);
  await touch(60);
  expect(navigation.isMenuOpen).toBe(false);
  await touch(8);
  expect(navigation.isMenuOpen).toBe(true);
});

test('the feed shows its tab while it is awake, and the tab opens the menu', async () => {
  const screen = await draw(<Menu isFeed />);
  expect(screen.querySelector('button')).toBeNull();
  await wake('top-left');
  await press('Menu');
  expect(navigation.isMenuOpen).toBe(true);
  await arrive();
  expect(screen.querySelector('nav')?.getAttribute('aria-label')).toBe('Menu');
});

test('collapsed beside another view, only Feed can be used', async () => {
  openView('profile');
  const screen = await draw(<Menu isFeed={false} />);
  expect([...screen.querySelectorAll('button')].map((one) => one.getAttribute('aria-label'))).toEqual(['Menu', 'Feed']);
  await press('Feed');
  expect(navigation.view).toBe('feed');
});

test('a phone has its bar beside every view, and on the feed while that is awake', async () => {
  await beForm('phone');
  const feed = await draw(<Menu isFeed />);
  await arrive();
  expect(feed.querySelector('nav')).toBeNull();
  await wake('bottom-left');
  await arrive();
  expect(feed.querySelector('nav')).not.toBeNull();
  const other = await draw(<Menu isFeed={false} />);
  await arrive();
  expect(other.querySelector('nav')).not.toBeNull();
  await settle(() => openMenu());
  expect(button('Feed')).toBeDefined();
});

test('a TV shows nothing until its menu is opened', async () => {
  await beForm('tv');
  const screen = await draw(<Menu isFeed />);
  await wake('top-left');
  expect(screen.querySelector('button')).toBeNull();
  await settle(() => openMenu());
  await arrive();
  expect(screen.querySelector('nav')).not.toBeNull();
  await settle(closeMenu);
  expect(screen.querySelector('nav')).toBeNull();
});

test("a TV's pointing remote opens the menu at the edge, which then stays until it is closed", async () => {
  await beForm('tv');
  await draw(<Menu isFeed />);
  await point(2);
  expect([navigation.isMenuOpen, navigation.isMenuHovered]).toEqual([true, false]);
  await point(900);
  expect(navigation.isMenuOpen).toBe(true);
});
