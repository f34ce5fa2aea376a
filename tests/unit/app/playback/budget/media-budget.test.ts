import { expect, test } from 'vitest';
import type { MediaLease, MediaResource, Priority } from '#app/playback/media-budget.ts';
import { MediaBudget } from '#app/playback/media-budget.ts';
import { countCalls } from '#tests/support/count-calls.ts';

interface Asked {
  needs?: MediaResource[];
  priority?: Priority;
  takesTurns?: boolean;
}

const told: string[] = [];

function budgetOf(capacity: Partial<Record<MediaResource, number>>): {
  budget: MediaBudget;
  ask: (name: string, asked?: Asked) => MediaLease;
} {
  told.length = 0;
  const budget = new MediaBudget({ decoder: 9, connection: 9, sound: 9, ...capacity });
  const ask = (name: string, { needs = ['decoder'], priority = 'quadrant', takesTurns = false }: Asked = {}) =>
    budget.request({
      needs,
      priority,
      takesTurns,
      granted: () => told.push(`${name} granted`),
      revoked: () => told.push(`${name} revoked`),
    });
  return { budget, ask };
}

test('what is free is held at once, without a word', () => {
  const { ask } = budgetOf({ decoder: 1 });
  expect(ask('first').isHeld).toBe(true);
  expect(told).toEqual([]);
});

test('who finds nothing free waits, and has it as soon as it is given back', () => {
  const { ask } = budgetOf({ decoder: 1 });
  const first = ask('first');
  const second = ask('second');
  expect(second.isHeld).toBe(false);
  first.release();
  expect(second.isHeld).toBe(true);
  expect(told).toEqual(['second granted']);
});

test('of those who wait the higher comes first, and of equals who asked first', () => {
  const { ask } = budgetOf({ decoder: 1 });
  const holder = ask('modal', { priority: 'modal' });
  ask('preview', { priority: 'preview' });
  const first = ask('first quadrant');
  const second = ask('second quadrant');
  for (const lease of [holder, first, second]) lease.release();
  expect(told).toEqual(['first quadrant granted', 'second quadrant granted', 'preview granted']);
});

test.each<[Priority, Priority]>([
  ['modal', 'quadrant'],
  ['quadrant', 'preview'],
  ['preview', 'ahead'],
])('a %s takes from a %s, which waits and has it back afterwards', (higher, lower) => {
  const { ask } = budgetOf({ decoder: 1 });
  const loser = ask(lower, { priority: lower });
  const winner = ask(higher, { priority: higher });
  expect([winner.isHeld, loser.isHeld]).toEqual([true, false]);
  winner.release();
  expect(told).toEqual([`${lower} revoked`, `${lower} granted`]);
});

test('the least gives way first, and of equals the newest', () => {
  const { ask } = budgetOf({ decoder: 3 });
  ask('preview', { priority: 'preview' });
  ask('first ahead', { priority: 'ahead' });
  ask('second ahead', { priority: 'ahead' });
  for (const name of ['a', 'b', 'c']) ask(name);
  expect(told).toEqual(['second ahead revoked', 'first ahead revoked', 'preview revoked']);
});

test('nobody loses anything to a claim that could not be met all the same', () => {
  const { ask } = budgetOf({ decoder: 1, connection: 1 });
  ask('quadrant', { needs: ['connection'] });
  const ahead = ask('ahead', { priority: 'ahead' });
  const both = ask('both', { needs: ['decoder', 'connection'] });
  expect([ahead.isHeld, both.isHeld]).toEqual([true, false]);
});

test('a part that is given back goes to who waits for it', () => {
  const { ask } = budgetOf({ connection: 1 });
  const playing = ask('playing', { needs: ['decoder', 'connection'] });
  ask('waiting', { needs: ['connection'] });
  playing.giveBack('connection');
  expect(told).toEqual(['waiting granted']);
  expect(playing.isHeld).toBe(true);
});

test('where turns are taken the last who asked has it, and the oldest gives way', () => {
  const { ask } = budgetOf({ sound: 2 });
  for (const name of ['first', 'second', 'third']) ask(name, { needs: ['sound'], takesTurns: true });
  expect(told).toEqual(['first revoked']);
});

test("whose turn was taken waits like everybody else, and takes nobody's in return", () => {
  const { ask } = budgetOf({ decoder: 1 });
  ask('first', { takesTurns: true });
  const second = ask('second', { takesTurns: true });
  expect(second.isHeld).toBe(true);
  second.release();
  expect(told).toEqual(['first revoked', 'first granted']);
});

test('what was prepared ahead and is wanted now is not taken by a preview any more', () => {
  const { ask } = budgetOf({ decoder: 1 });
  const next = ask('next', { priority: 'ahead' });
  next.setPriority('quadrant');
  expect(ask('preview', { priority: 'preview' }).isHeld).toBe(false);
});

test('what waited ahead and is wanted now takes from what is not', () => {
  const { ask } = budgetOf({ decoder: 1 });
  ask('other', { priority: 'preview' });
  const next = ask('next', { priority: 'ahead' });
  next.setPriority('quadrant');
  expect(told).toEqual(['other revoked', 'next granted']);
});

test('a device that shows fewer takes away what is above, and no more is held from then on', () => {
  const { budget, ask } = budgetOf({ decoder: 3 });
  const leases = ['a', 'b', 'c'].map((name) => ask(name));
  budget.setCapacity('decoder', 2);
  expect(told).toEqual(['c revoked']);
  expect(leases.map(({ isHeld }) => isHeld)).toEqual([true, true, false]);
  expect(budget.inUse('decoder')).toBe(2);
});

test('who is told that it is taken away may give up for good', () => {
  const budget = new MediaBudget({ decoder: 1, connection: 1, sound: 1 });
  const lease: MediaLease = budget.request({
    needs: ['decoder'],
    priority: 'ahead',
    granted: () => told.push('came back'),
    revoked: () => lease.release(),
  });
  const winner = budget.request({ needs: ['decoder'], priority: 'modal', granted: () => {}, revoked: () => {} });
  told.length = 0;
  winner.release();
  expect(told).toEqual([]);
  expect(lease.isHeld).toBe(false);
});

test('what is given back while it is taken away goes to nobody else', () => {
  const budget = new MediaBudget({ decoder: 1, connection: 9, sound: 9 });
  const claim = { needs: ['decoder'] as const, granted: () => {}, revoked: () => {} };
  const holder: MediaLease = budget.request({ ...claim, priority: 'ahead', revoked: () => holder.release() });
  const waiting = budget.request({ ...claim, priority: 'ahead' });
  const winner = budget.request({ ...claim, priority: 'quadrant' });
  expect([holder.isHeld, waiting.isHeld, winner.isHeld]).toEqual([false, false, true]);
  expect(budget.inUse('decoder')).toBe(1);
});

test('a device that shows fewer holds no more, although one that loses gives up meanwhile', () => {
  const budget = new MediaBudget({ decoder: 3, connection: 9, sound: 9 });
  const claim = { needs: ['decoder'] as const, priority: 'quadrant' as const, granted: () => {}, revoked: () => {} };
  const leases: MediaLease[] = [0, 1, 2].map(() => budget.request({ ...claim, revoked: () => leases[2]?.release() }));
  const waiting = budget.request(claim);
  budget.setCapacity('decoder', 1);
  expect(budget.inUse('decoder')).toBe(1);
  expect(waiting.isHeld).toBe(false);
});

test('a priority that stays, and a resource that was given back before, try to grant nothing', async () => {
  const { ask } = budgetOf({ decoder: 1 });
  const holder = ask('holder', { needs: ['decoder', 'connection'] });
  ask('waiting');
  holder.giveBack('connection');
  const calls = await countCalls(() => {
    holder.setPriority('quadrant');
    holder.giveBack('connection');
  });
  expect(calls('tryGrant')).toBe(0);
});
