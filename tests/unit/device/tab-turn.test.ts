import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { DeviceDatabase, FactStore } from '#device/device-database.ts';
import { replay } from '#device/outbox-replay.ts';
import { OutboxStore } from '#device/outbox-store.ts';
import type { TabTurn } from '#device/tab-turn.ts';
import { LeaseTurn, LockTurn, sweepTime } from '#device/tab-turn.ts';
import { clockParts, fakeIndexedDb } from './fake-indexed-db.ts';
import { assignments } from './outbox/drafts.ts';
import { FakeOutboxServer } from './outbox/fake-outbox-server.ts';

beforeEach(() => fakeIndexedDb());

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Grants a lock to one after another, as the browser does. */
function fakeLocks(): LockManager {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_: string, { signal }: LockOptions, run: () => Promise<unknown>) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('Waited for too long', 'AbortError')));
      last = last.then(() => (signal?.aborted ? undefined : run().then(resolve, reject)));
    });
  return { request } as unknown as LockManager;
}

const leases = () =>
  [0, 1].map(() => new LeaseTurn(new FactStore(new DeviceDatabase()), 'outbox-lease', limits.outboxLeaseSeconds));
const sharedLocks = () => {
  const locks = fakeLocks();
  return [0, 1].map(() => new LockTurn(locks, 'fourfold.outbox'));
};
const taken = () => 'taken';

test.each([
  ['locks', sharedLocks],
  ['a lease', leases],
] as const)('of two tabs one sends at a time, by %s: all arrive once and in order', async (_, turns) => {
  const server = new FakeOutboxServer();
  server.addTag('Night');
  const store = new OutboxStore(new DeviceDatabase());
  for (const draft of assignments(10)) await store.add(draft);
  const run = (turn: TabTurn) =>
    replay('ana', {
      store: new OutboxStore(new DeviceDatabase()),
      network: server,
      turn,
      now: () => 0,
      onProgress: () => {},
    });
  await Promise.all(turns().map(run));
  expect(server.done).toEqual(assignments(10).map(({ params }) => `assignTags ${params?.path} tag-1`));
  expect([server.mostUnderWay, server.seen.length]).toEqual([1, 10]);
});

describe('a lease', () => {
  const [hour, leaseMs] = [3_600_000, limits.outboxLeaseSeconds * 1000];
  let mine: LeaseTurn;
  let theirs: LeaseTurn;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: [...clockParts], now: hour });
    [mine, theirs] = leases() as [LeaseTurn, LeaseTurn];
  });

  const tryTurn = (turn: LeaseTurn) => turn.run<string>(async () => 'sent', taken);

  test('of a tab that has gone is free after its time, and not before', async () => {
    void mine.run(() => new Promise<never>(() => {}), taken);
    await vi.waitFor(async () => expect(await tryTurn(theirs)).toBe('taken'));
    vi.setSystemTime(hour + leaseMs - 1);
    expect(await tryTurn(theirs)).toBe('taken');
    vi.setSystemTime(hour + leaseMs);
    expect(await tryTurn(theirs)).toBe('sent');
  });

  test('that ran out while its tab slept is lost: the tab stops before its next change', async () => {
    const outcome = mine.run(
      async (isHeld) => {
        const before = await isHeld();
        vi.setSystemTime(hour + leaseMs);
        return theirs.run(
          async () => [before, await isHeld()],
          () => [],
        );
      },
      () => [],
    );
    expect(await outcome).toEqual([true, false]);
  });

  test('is given back, and one from the future is not believed', async () => {
    expect(await tryTurn(mine)).toBe('sent');
    expect(await tryTurn(theirs)).toBe('sent');
    void mine.run(() => new Promise<never>(() => {}), taken);
    await vi.waitFor(async () => expect(await tryTurn(theirs)).toBe('taken'));
    vi.setSystemTime(0);
    expect(await tryTurn(theirs)).toBe('sent');
  });

  test('is given back by a replay that fails', async () => {
    await expect(mine.run(() => Promise.reject(new Error('broken')), taken)).rejects.toThrow('broken');
    expect(await tryTurn(theirs)).toBe('sent');
  });
});

describe('a lock', () => {
  test('that another tab holds for longer than a call may take is given up', async () => {
    vi.useFakeTimers({ toFake: [...clockParts] });
    const [mine, theirs] = sharedLocks() as [LockTurn, LockTurn];
    void mine.run(() => new Promise<never>(() => {}), taken);
    const outcome = theirs.run<string>(async () => 'sent', taken);
    await vi.advanceTimersByTimeAsync(limits.callTimeoutSeconds * 1000);
    expect(await outcome).toBe('taken');
  });

  test('lets a failure of the replay through', async () => {
    const [turn] = sharedLocks() as [LockTurn];
    await expect(turn.run(() => Promise.reject(new Error('broken')), taken)).rejects.toThrow('broken');
  });
});

describe('the time by which the device deletes', () => {
  const [hourMs, yearMs] = [3_600_000, 365 * 86_400_000];
  const start = Date.UTC(2026, 10, 30);
  const lookAt = (clock: number) => {
    vi.setSystemTime(clock);
    return sweepTime(new FactStore(new DeviceDatabase()));
  };

  beforeEach(() => vi.useFakeTimers({ toFake: [...clockParts], now: start }));

  test('follows the clock from start to start', async () => {
    expect(await lookAt(start)).toBe(start);
    expect(await lookAt(start + 5 * hourMs)).toBe(start + 5 * hourMs);
    expect(await lookAt(start + 16 * hourMs)).toBe(start + 16 * hourMs);
  });

  test.each([
    ['ahead', 10 * yearMs],
    ['behind', -50 * yearMs],
  ])('advances by less than the shortest time of keeping when a clock is far %s, and put right', async (_, error) => {
    const before = await lookAt(start);
    const wrong = await lookAt(start + error);
    const again = await lookAt(start + error + 1_000);
    const right = await lookAt(start + 2_000);
    expect([before, wrong, again, right]).toEqual([before, wrong, again, right].sort((one, other) => one - other));
    expect(right - before).toBeLessThan(limits.sharedFilesHours * hourMs);
  });
});
