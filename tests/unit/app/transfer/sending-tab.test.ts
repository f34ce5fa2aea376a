import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { leaseCheckMs, leaseSeconds, SendingTab } from '#app/transfer/sending-tab.ts';
import { DeviceDatabase, FactStore } from '#device/device-database.ts';
import type { TabTurn } from '#device/tab-turn.ts';
import { LeaseTurn, LockTurn } from '#device/tab-turn.ts';
import { fakeLocks } from './fake-locks.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

/** Two tabs of a browser. */
function openTabs(turns: TabTurn[]) {
  const log: string[] = [];
  return {
    log,
    tabs: turns.map(
      (turn, at) =>
        new SendingTab(
          turn,
          () => log.push(`${at} sends`),
          () => log.push(`${at} stops`),
        ),
    ),
  };
}

const byLock = () => {
  const locks = fakeLocks();
  return [0, 1].map(() => new LockTurn(locks, 'fourfold.uploads'));
};
const byLease = () => {
  const facts = new FactStore(new DeviceDatabase('leases'));
  return [0, 1].map(() => new LeaseTurn(facts, 'uploads-lease', leaseSeconds));
};

test.each([
  ['a lock', byLock],
  ['a lease', byLease],
])('by %s one tab sends, and the next one takes over within 3 s after it has ended', async (_, turns) => {
  const { tabs, log } = openTabs(turns());
  for (const tab of tabs) tab.start();
  await pass(120);
  expect(log).toEqual(['0 sends']);
  expect(tabs.map(({ isHeld }) => isHeld)).toEqual([true, false]);
  tabs[0]?.stop();
  await pass(2.9);
  expect(log).toEqual(['0 sends', '0 stops', '1 sends']);
  tabs[0]?.start();
  await pass(60);
  expect(tabs.map(({ isHeld }) => isHeld)).toEqual([false, true]);
  tabs[1]?.stop();
  await pass(2.9);
  expect(tabs.map(({ isHeld }) => isHeld)).toEqual([true, false]);
});

test('a tab that is stopped before its turn comes never sends', async () => {
  const { tabs, log } = openTabs(byLock());
  for (const tab of tabs) tab.start();
  await pass(5);
  tabs[1]?.stop();
  tabs[0]?.stop();
  await pass(60);
  expect(log).toEqual(['0 sends', '0 stops']);
});

test('a tab whose lease ran out while it slept stops before the other one has gone far', async () => {
  const { tabs, log } = openTabs(byLease());
  tabs[0]?.start();
  await pass(1);
  vi.setSystemTime(Date.now() + leaseSeconds * 1000 + 1);
  tabs[1]?.start();
  await pass(leaseCheckMs / 1000);
  expect(log).toEqual(['0 sends', '1 sends', '0 stops']);
});
