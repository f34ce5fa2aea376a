import { afterEach, beforeEach, expect, test, vi } from 'vitest';

let lockedTimes: number;
let held: Array<() => void>;
let refuses: boolean;
const page = {
  hidden: false,
  listeners: [] as Array<() => void>,
  addEventListener: (_: string, hear: () => void) => void page.listeners.push(hear),
};

const request = async () => {
  if (refuses) throw new Error('NotAllowedError');
  lockedTimes += 1;
  const listeners: Array<() => void> = [];
  const release = () => {
    held = held.filter((one) => one !== release);
    for (const hear of listeners) hear();
  };
  held.push(release);
  return { release: async () => release(), addEventListener: (_: string, hear: () => void) => listeners.push(hear) };
};

let keepScreenOn: (isOn: boolean, holder?: 'playing' | 'uploading') => Promise<void>;

beforeEach(async () => {
  vi.resetModules();
  Object.assign(page, { hidden: false, listeners: [] });
  [lockedTimes, held, refuses] = [0, [], false];
  vi.stubGlobal('document', page);
  vi.stubGlobal('navigator', { wakeLock: { request } });
  const module = await import('#app/platform/wake-lock.ts');
  keepScreenOn = async (isOn, holder = 'playing') => {
    module.keepScreenOn(holder, isOn);
    await settled();
  };
});

afterEach(() => vi.unstubAllGlobals());

const settled = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

const see = async (isSeen: boolean) => {
  page.hidden = !isSeen;
  // The system takes the lock from a page that is hidden.
  if (!isSeen) for (const release of [...held]) release();
  for (const hear of page.listeners) hear();
  await settled();
};

test('the screen stays on once, however often that is asked for, until it is let go', async () => {
  await keepScreenOn(true);
  await keepScreenOn(true);
  expect([lockedTimes, held.length]).toEqual([1, 1]);
  await keepScreenOn(false);
  expect(held).toEqual([]);
});

test('the screen stays on until nobody holds it, with one lock', async () => {
  await keepScreenOn(true, 'playing');
  await keepScreenOn(true, 'uploading');
  await keepScreenOn(false, 'playing');
  expect([lockedTimes, held.length]).toEqual([1, 1]);
  await keepScreenOn(false, 'uploading');
  expect(held).toEqual([]);
});

test('who has stopped holding while the page was hidden gets no lock when it is seen', async () => {
  await keepScreenOn(true, 'playing');
  await keepScreenOn(true, 'uploading');
  await see(false);
  await keepScreenOn(false, 'playing');
  await see(true);
  expect([lockedTimes, held.length]).toEqual([2, 1]);
  await see(false);
  await keepScreenOn(false, 'uploading');
  await see(true);
  expect([lockedTimes, held.length]).toEqual([2, 0]);
});

test('a hidden page loses the lock and takes it again when it is seen', async () => {
  await keepScreenOn(true);
  await see(false);
  expect(held).toEqual([]);
  await see(true);
  expect([lockedTimes, held.length]).toEqual([2, 1]);
});

test('a page that is hidden asks for nothing', async () => {
  await see(false);
  await keepScreenOn(true);
  expect(lockedTimes).toBe(0);
});

test('a lock that comes too late is given back', async () => {
  const asking = keepScreenOn(true);
  await keepScreenOn(false);
  await asking;
  expect(held).toEqual([]);
});

test('a system that refuses, and one without locks, are left in peace', async () => {
  refuses = true;
  await keepScreenOn(true);
  vi.stubGlobal('navigator', {});
  await keepScreenOn(true);
  expect(lockedTimes).toBe(0);
});
