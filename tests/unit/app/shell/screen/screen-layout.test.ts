import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const root = { dataset: {} as Record<string, string> };
let stop = () => {};

const start = async (address: string) => {
  vi.resetModules();
  root.dataset = {};
  vi.stubGlobal('document', { documentElement: root });
  vi.stubGlobal('location', { href: address });
  vi.stubGlobal('history', { state: null, replaceState: () => {} });
  vi.stubGlobal('navigator', { userAgent: 'Chrome/120', maxTouchPoints: 0 });
  vi.stubGlobal('window', { addEventListener: () => {}, matchMedia: () => ({ matches: true }) });
  vi.stubGlobal('innerWidth', 1440);
  vi.stubGlobal('innerHeight', 900);
  const { watchScreenForm } = await import('#app/platform/input/screen-form.ts');
  const { settings, watchLayoutChoice } = await import('#app/state/settings.ts');
  watchScreenForm();
  stop = watchLayoutChoice();
  return settings;
};

beforeEach(() => vi.useFakeTimers());

afterEach(() => {
  stop();
  vi.useRealTimers();
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

test('pictures fit as was chosen on this device, at once', async () => {
  const settings = await start('http://localhost/');
  expect(root.dataset.fit).toBe('fill');
  settings.pictureFit = 'whole';
  await vi.advanceTimersByTimeAsync(0);
  expect(root.dataset.fit).toBe('whole');
});
