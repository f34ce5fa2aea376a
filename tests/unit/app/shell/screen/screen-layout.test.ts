import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeStorage } from '../../platform/fake-storage.ts';

const root = { dataset: {} as Record<string, string> };
let stop = () => {};
let sessionStorage = fakeStorage();

const start = async (address: string, visit: NavigationTimingType = 'navigate') => {
  vi.resetModules();
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type: visit } as PerformanceNavigationTiming]);
  root.dataset = {};
  vi.stubGlobal('document', { documentElement: root });
  vi.stubGlobal('location', { href: address });
  vi.stubGlobal('history', { state: null, replaceState: () => {} });
  vi.stubGlobal('navigator', { userAgent: 'Chrome/120', maxTouchPoints: 0 });
  const matchMedia = () => ({ matches: true });
  vi.stubGlobal('window', { addEventListener: () => {}, matchMedia, sessionStorage });
  vi.stubGlobal('innerWidth', 1440);
  vi.stubGlobal('innerHeight', 900);
  const { watchScreenForm } = await import('#app/platform/input/screen-form.ts');
  const { settings, watchLayoutChoice } = await import('#app/state/settings.ts');
  watchScreenForm();
  stop = watchLayoutChoice();
  return settings;
};

beforeEach(() => {
  vi.useFakeTimers();
  sessionStorage = fakeStorage();
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('the layout that was chosen goes before what the device tells, until it is automatic again', async () => {
  const settings = await start('http://localhost/');
  expect(root.dataset.form).toBe('desktop');
  settings.screenLayout = 'tv';
  await vi.advanceTimersByTimeAsync(0);
  expect(root.dataset.form).toBe('tv');
  settings.screenLayout = 'automatic';
  await vi.advanceTimersByTimeAsync(0);
  expect(root.dataset.form).toBe('desktop');
});

test('an address that names a layout goes before the choice', async () => {
  const settings = await start('http://localhost/?form=phone');
  settings.screenLayout = 'tv';
  await vi.advanceTimersByTimeAsync(0);
  expect(root.dataset.form).toBe('phone');
});

test('a reload keeps the layout of the address, and a new visit does not', async () => {
  await start('http://localhost/?form=tv');
  await start('http://localhost/', 'reload');
  expect(root.dataset.form).toBe('tv');
  await start('http://localhost/');
  expect(root.dataset.form).toBe('desktop');
  await start('http://localhost/', 'reload');
  expect(root.dataset.form).toBe('desktop');
});

test('a layout that is chosen goes before that of the address once the page is reloaded', async () => {
  const settings = await start('http://localhost/?form=tv');
  settings.screenLayout = 'phone';
  await vi.advanceTimersByTimeAsync(0);
  expect(root.dataset.form).toBe('tv');
  const again = await start('http://localhost/', 'reload');
  again.screenLayout = 'phone';
  await vi.advanceTimersByTimeAsync(0);
  expect(root.dataset.form).toBe('phone');
});

test('pictures fit as was chosen on this device, at once', async () => {
  const settings = await start('http://localhost/');
  expect(root.dataset.fit).toBe('fill');
  settings.pictureFit = 'whole';
  await vi.advanceTimersByTimeAsync(0);
  expect(root.dataset.fit).toBe('whole');
});
