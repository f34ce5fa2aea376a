import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeStorage } from '../../platform/fake-storage.ts';
import { FakePage } from '../../platform/focus/fake-page.ts';

interface Machine {
  /** What the media queries say of the pointer. */
  pointer: 'fine' | 'coarse' | 'none';
  storage?: Storage;
  address?: string;
}

const tablet: Machine = { pointer: 'coarse' };
let page: EventTarget;

/** @returns the dialog that is open */
async function start({ pointer, storage = fakeStorage(), address = 'http://localhost/' }: Machine) {
  vi.resetModules();
  page = Object.assign(new EventTarget(), {
    localStorage: storage,
    history: new FakePage().history,
    matchMedia: (query: string) => ({ matches: query.includes(pointer) }),
  });
  vi.stubGlobal('window', page);
  vi.stubGlobal('document', { documentElement: { dataset: {} } });
  vi.stubGlobal('location', { href: address, search: new URL(address).search });
  vi.stubGlobal('history', { state: null, replaceState: () => {} });
  vi.stubGlobal('navigator', { userAgent: 'Chrome/120', maxTouchPoints: 5 });
  vi.stubGlobal('innerWidth', 1280);
  vi.stubGlobal('innerHeight', 720);
  const { watchScreenForm } = await import('#app/platform/input/screen-form.ts');
  const { settings, watchLayoutChoice } = await import('#app/state/settings.ts');
  const { navigation, closeDialog } = await import('#app/state/navigation.ts');
  watchScreenForm();
  watchLayoutChoice();
  return { settings, navigation, closeDialog };
}

const press = (...keys: string[]) => {
  for (const key of keys) page.dispatchEvent(Object.assign(new Event('keydown'), { key }));
};

const repeat = (key: string) => page.dispatchEvent(Object.assign(new Event('keydown'), { key, repeat: true }));

const touch = () => page.dispatchEvent(Object.assign(new Event('pointerdown'), { pointerType: 'touch' }));

beforeEach(() => vi.useFakeTimers());

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test.each(['coarse', 'none'] as const)(
  'three arrows or OK on a device with a %s pointer are asked about',
  async (pointer) => {
    const { navigation } = await start({ pointer });
    press('ArrowDown', 'Enter');
    expect(navigation.dialog).toBeNull();
    press('ArrowRight');
    expect(navigation.dialog).toBe('tv-layout');
  },
);

test('the question is asked once on a device', async () => {
  const storage = fakeStorage();
  const first = await start({ ...tablet, storage });
  press('ArrowDown', 'ArrowDown', 'ArrowDown');
  expect(first.navigation.dialog).toBe('tv-layout');
  first.closeDialog();
  press('ArrowDown', 'ArrowDown', 'ArrowDown');
  expect(first.navigation.dialog).toBeNull();
  const again = await start({ ...tablet, storage });
  press('ArrowDown', 'ArrowDown', 'ArrowDown');
  expect(again.navigation.dialog).toBeNull();
});

test.each<[string, Machine, () => void]>([
  ['a mouse', { pointer: 'fine' }, () => press('ArrowDown', 'ArrowDown', 'ArrowDown')],
  ['a touch before', tablet, () => [touch(), press('ArrowDown', 'ArrowDown', 'ArrowDown')]],
  ['a touch in between', tablet, () => [press('ArrowDown', 'ArrowDown'), touch(), press('ArrowDown')]],
  ['a letter in between', tablet, () => press('ArrowDown', 'a', 'ArrowDown', 'ArrowDown', 'ArrowDown')],
  ['an arrow that is held', tablet, () => [press('ArrowDown'), repeat('ArrowDown'), repeat('ArrowDown')]],
  ['Tab', tablet, () => press('Tab', 'ArrowDown', 'ArrowDown', 'ArrowDown')],
  ['the layout of a TV', { ...tablet, address: 'http://localhost/?form=tv' }, () => press('Enter', 'Enter', 'Enter')],
  ['a venue', { ...tablet, address: 'http://localhost/?venue=1' }, () => press('Enter', 'Enter', 'Enter')],
])('with %s nobody is asked', async (_, machine, act) => {
  const { navigation } = await start(machine);
  act();
  expect(navigation.dialog).toBeNull();
});

test('whoever has chosen a layout is not asked', async () => {
  const { navigation, settings } = await start(tablet);
  settings.screenLayout = 'tablet';
  press('ArrowDown', 'ArrowDown', 'ArrowDown');
  expect(navigation.dialog).toBeNull();
});
