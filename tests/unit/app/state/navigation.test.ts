import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FakePage } from '../platform/focus/fake-page.ts';
import { fakeWindow } from './fake-window.ts';

let page: FakePage;
let state: typeof import('#app/state/navigation.ts');
let address: () => string;

const start = async (at: string) => {
  vi.resetModules();
  ({ page, address } = fakeWindow(at));
  state = await import('#app/state/navigation.ts');
  state.startNavigation();
  await page.settled();
};

beforeEach(() => start('http://localhost/'));

afterEach(() => vi.unstubAllGlobals());

const go = async (view: Parameters<typeof state.openView>[0]) => {
  state.openView(view);
  await page.settled();
};

test('going from the feed to a view adds one entry, and Back is the feed', async () => {
  await go('channels');
  expect([state.navigation.view, page.at]).toEqual(['channels', 1]);
  await page.press('back');
  expect([state.navigation.view, page.at]).toEqual(['feed', 0]);
});

test('going from view to view replaces the entry', async () => {
  await go('channels');
  await go('profile');
  expect([state.navigation.view, page.at]).toEqual(['profile', 1]);
  await page.press('back');
  expect(state.navigation.view).toBe('feed');
});

test('going to the feed takes the entry away', async () => {
  await go('channels');
  await go('feed');
  expect([state.navigation.view, page.at]).toEqual(['feed', 0]);
});

test('20 ways out and back leave no ghost entries', async () => {
  for (let way = 0; way < 20; way += 1) {
    await go('channels');
    await go('upload');
    await (way % 2 === 0 ? page.press('back') : go('feed'));
    expect([state.navigation.view, page.at]).toEqual(['feed', 0]);
  }
  expect(page.entries.length).toBeLessThanOrEqual(2);
});

test('Back closes a dialog before the view under it', async () => {
  await go('profile');
  state.openDialog('sign-in');
  await page.settled();
  await page.press('back');
  expect([state.navigation.view, state.navigation.dialog]).toEqual(['profile', null]);
  await page.press('back');
  expect(state.navigation.view).toBe('feed');
});

test('leaving a view closes the dialog over it', async () => {
  await go('profile');
  state.openDialog('sign-in');
  await page.settled();
  await go('feed');
  expect([state.navigation.dialog, page.at]).toEqual([null, 0]);
});

test('a shortcut opens its view once, and the address forgets it', async () => {
  await start('http://localhost/?view=upload&keep=1');
  expect([state.navigation.view, address()]).toEqual(['upload', 'http://localhost/?keep=1']);
  await page.press('back');
  expect(state.navigation.view).toBe('feed');
});

test('a shared address names its video once, and opens Videos', async () => {
  await start('http://localhost/?video=0198-abc&view=profile');
  expect([state.navigation.view, state.navigation.sharedVideoId, address()]).toEqual([
    'channels',
    '0198-abc',
    'http://localhost/',
  ]);
});

test('files that were shared into the app open Upload, and the address forgets them', async () => {
  await start('http://localhost/?view=upload&share=0198-abc');
  expect([state.navigation.view, address()]).toEqual(['upload', 'http://localhost/']);
  await start('http://localhost/?share=0198-abc');
  expect([state.navigation.view, address()]).toEqual(['upload', 'http://localhost/']);
});

test('an address that names no view of ours is the feed', async () => {
  await start('http://localhost/?view=__proto__');
  expect([state.navigation.view, address()]).toEqual(['feed', 'http://localhost/']);
});

test('the menu is one entry, and Back closes it', async () => {
  state.openMenu();
  await page.settled();
  expect([state.navigation.isMenuOpen, state.isCovered(), page.at]).toEqual([true, true, 1]);
  await page.press('back');
  expect([state.navigation.isMenuOpen, state.isCovered(), page.at]).toEqual([false, false, 0]);
});

test('a view that is chosen in the menu takes the place of its entry', async () => {
  state.openMenu();
  await page.settled();
  state.closeMenu();
  state.openView('channels');
  await page.settled();
  expect([state.navigation.view, state.navigation.isMenuOpen, page.at, page.entries.length]).toEqual([
    'channels',
    false,
    1,
    2,
  ]);
  await page.press('back');
  expect(state.navigation.view).toBe('feed');
});

test('opening and closing the menu 20 times leaves no ghost entries', async () => {
  for (let times = 0; times < 20; times += 1) {
    state.openMenu(times % 2 === 0 ? 'hover' : 'press');
    await page.settled();
    state.closeMenu();
    await page.settled();
    expect(page.at).toBe(0);
  }
  expect(page.entries.length).toBeLessThanOrEqual(2);
});

test('the code for the first account leaves the address at once, and opens its dialog', async () => {
  await start('http://localhost/?setup=BCDF-GHJK');
  expect([address(), state.navigation.dialog, state.navigation.setupCode]).toEqual([
    'http://localhost/',
    'register',
    'BCDF-GHJK',
  ]);
  state.closeDialog();
  expect(state.navigation.setupCode).toBeNull();
});

test('an invitation leaves the address at once and opens registration over the view', async () => {
  await start('http://localhost/?view=profile&invitation=secret');
  expect([address(), state.navigation.view, state.navigation.dialog, state.navigation.invitation]).toEqual([
    'http://localhost/',
    'profile',
    'register',
    'secret',
  ]);
  state.closeDialog();
  expect(state.navigation.invitation).toBeNull();
});
