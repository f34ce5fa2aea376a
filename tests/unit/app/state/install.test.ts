import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FakeBrowser } from './fake-browser.ts';
import { fakeBrowser } from './fake-browser.ts';

const dayMs = 86_400_000;
let browser: FakeBrowser;
let state: typeof import('#app/state/install.ts');
let isStandalone: boolean;
let outcome: 'accepted' | 'dismissed';
let prompts: number;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-26T12:00:00Z') });
  browser = fakeBrowser();
  isStandalone = false;
  outcome = 'accepted';
  prompts = 0;
  Object.assign(window, { matchMedia: () => ({ matches: isStandalone }) });
  vi.stubGlobal('navigator', { userAgent: 'Chrome/153' });
  await load();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Another visit: the page and its modules are new, what it has stored stays. */
async function load(): Promise<void> {
  vi.resetModules();
  Object.assign(window, { installPrompt: undefined });
  state = await import('#app/state/install.ts');
  state.watchInstall();
}

function offerByBrowser(): Event {
  const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
    prompt: async () => {
      prompts += 1;
      return { outcome };
    },
  });
  window.dispatchEvent(event);
  return event;
}

function play(seconds: number): void {
  for (let second = 0; second < seconds; second += 1) state.notePlaying();
}

test('the browser never offers it by itself, and the app only to who comes back', () => {
  expect(offerByBrowser().defaultPrevented).toBe(true);
  expect(state.install.offer).toBeNull();
  play(3_600);
  expect(state.install.offer).toBeNull();
  vi.setSystemTime(Date.now() + dayMs);
  play(599);
  expect(state.install.offer).toBeNull();
  play(60);
  expect(state.install.offer).toBe('prompt');
});

test('days between count for nothing, and short ones do not either', async () => {
  play(600);
  for (let day = 0; day < 3; day += 1) {
    vi.setSystemTime(Date.now() + dayMs);
    await load();
    play(60);
  }
  offerByBrowser();
  expect(state.install.offer).toBeNull();
});

test('the first kept video earns it at once, unless the app is installed already', async () => {
  offerByBrowser();
  state.earnInstall();
  expect(state.install.offer).toBe('prompt');
  isStandalone = true;
  await load();
  offerByBrowser();
  expect(state.install.offer).toBeNull();
});

test('a press shows the dialog of the browser once, and it is gone when the app is installed', async () => {
  offerByBrowser();
  state.earnInstall();
  await state.askToInstall();
  expect([prompts, state.install.offer]).toEqual([1, null]);
  window.dispatchEvent(new Event('appinstalled'));
  expect(state.install.offer).toBeNull();
});

test('who says no is asked again after thirty days', async () => {
  outcome = 'dismissed';
  offerByBrowser();
  state.earnInstall();
  await state.askToInstall();
  offerByBrowser();
  expect(state.install.offer).toBeNull();
  vi.setSystemTime(Date.now() + 30 * dayMs);
  await load();
  offerByBrowser();
  expect(state.install.offer).toBe('prompt');
});

test('on iOS it is said how, where the browser has no dialog; elsewhere nothing is', async () => {
  state.earnInstall();
  expect(state.install.offer).toBeNull();
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X)' });
  await load();
  expect(state.install.offer).toBe('by-hand');
});

test('a storage that holds something else is no reason to fail', async () => {
  browser.storage.setItem('fourfold.install', 'null');
  await load();
  offerByBrowser();
  browser.storage.setItem('fourfold.install', '{"days": 3');
  state.earnInstall();
  expect(state.install.offer).toBe('prompt');
});
