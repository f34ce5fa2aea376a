import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { DeviceDatabase } from '#device/device-database.ts';
import type { OutboxDraft } from '#device/outbox-entry.ts';
import { isOutboxCall, newTemporaryId, outboxCalls } from '#device/outbox-entry.ts';
import { OutboxStore } from '#device/outbox-store.ts';
import { fakeIndexedDb } from '../fake-indexed-db.ts';
import { assignment, assignments, creation } from './drafts.ts';

const dayMs = 86_400_000;

let store: OutboxStore;

afterEach(() => vi.unstubAllGlobals());

const addAll = async (drafts: readonly OutboxDraft[]) => {
  for (const draft of drafts) await store.add(draft);
};
const paths = async (userId: string) => (await store.list(userId)).map(({ params }) => params?.path);

describe.each([
  ['in the database', fakeIndexedDb, true],
  ['in memory, where there is none', () => vi.stubGlobal('indexedDB', undefined), false],
] as const)('%s', (_, prepare, isLasting) => {
  beforeEach(() => {
    prepare();
    store = new OutboxStore(new DeviceDatabase());
  });

  test('changes wait in the order in which they were made, each for its owner', async () => {
    await addAll([assignment('b', ['x']), assignment('a', ['x']), assignment('c', ['x'], { userId: 'bob' })]);
    expect([await paths('ana'), await paths('bob'), await store.isLasting()]).toEqual([['b', 'a'], ['c'], isLasting]);
  });

  test('one at a time is begun, and again after it was put back', async () => {
    await addAll(assignments(2));
    const first = await store.startNext('ana');
    expect([first?.state, (await store.startNext('ana'))?.number]).toEqual(['sending', first?.number]);
    await store.putBack(first!.number);
    await store.refuse(first!.number, 'No');
    expect((await store.startNext('ana'))?.params).toEqual({ path: 'video-1' });
    expect(await store.hasUnsent('ana')).toBe(true);
  });

  test('what a finished creation has made is known to what waits and to what comes later', async () => {
    const id = newTemporaryId();
    await addAll([creation('Day', id), assignment('a', [id, 'tag-1'])]);
    const made = await store.startNext('ana');
    await store.finish(made!, 'tag-7');
    await addAll([{ ...assignment('b', []), call: 'removeTag', params: { path: 'b', tagId: id }, body: undefined }]);
    const waiting = await store.list('ana');
    expect(waiting.map(({ params, body }) => [params, body])).toEqual([
      [{ path: 'a' }, { tag_ids: ['tag-7', 'tag-1'] }],
      [{ path: 'b', tagId: 'tag-7' }, undefined],
    ]);
    const direct = { params: { id }, body: { name: 'Days' } };
    expect(await store.resolve('ana', direct)).toEqual({ params: { id: 'tag-7' }, body: { name: 'Days' } });
    expect(await store.resolve('bob', direct)).toEqual(direct);
  });

  test('a person has no more waiting than there is room for, whatever others have', async () => {
    const name = 'x'.repeat(limits.outboxCharacters / 4);
    await addAll([creation(name, '1'), creation(name, '2'), creation(name, '3')]);
    await expect(store.add(creation(name, '4'))).rejects.toThrow('Too many changes wait for the network.');
    await store.add(creation(name, '4', { userId: 'bob' }));
    await store.discardAll('ana');
    expect([await paths('ana'), (await store.list('bob')).length]).toEqual([[], 1]);
  });

  test('what is kept for somebody who is not here is seen and sent by nobody else, for seven days', async () => {
    await addAll(assignments(1));
    await store.open(null, 0);
    await store.open('bob', 6 * dayMs);
    expect([await store.list('bob'), await store.startNext('bob')]).toEqual([[], null]);
    await store.open('ana', 7 * dayMs - 1);
    expect(await paths('ana')).toEqual(['video-0']);
    await store.open('bob', 10 * dayMs);
    await store.open('bob', 17 * dayMs);
    expect(await paths('ana')).toEqual([]);
  });

  test('an end that a wrong clock has set far ahead comes after seven days, too', async () => {
    await addAll(assignments(1));
    await store.open(null, 3_650 * dayMs);
    await store.open(null, 0);
    await store.open(null, 7 * dayMs - 1);
    expect(await paths('ana')).toEqual(['video-0']);
    await store.open(null, 7 * dayMs);
    expect(await paths('ana')).toEqual([]);
  });

  test('after seven days even its owner finds nothing', async () => {
    await addAll(assignments(1));
    await store.open(null, 0);
    await store.open('ana', 7 * dayMs);
    expect(await paths('ana')).toEqual([]);
  });

  test('a finished creation is forgotten after a day', async () => {
    const id = newTemporaryId();
    await addAll([creation('Day', id)]);
    await store.finish((await store.startNext('ana'))!, 'tag-7');
    await store.open('ana', 0);
    await store.open('ana', dayMs - 1);
    expect(await store.resolve('ana', { params: { id }, body: null })).toMatchObject({ params: { id: 'tag-7' } });
    await store.open('ana', dayMs);
    expect(await store.resolve('ana', { params: { id }, body: null })).toMatchObject({ params: { id } });
  });

  test('what another version of the app has left is dropped', async () => {
    await addAll([{ ...assignment('a', []), call: 'upgradePlan' as never }, assignment('b', ['x'])]);
    await store.open('ana', 0);
    expect(await paths('ana')).toEqual(['b']);
  });
});

test('a thousand changes of one person can wait', async () => {
  vi.stubGlobal('indexedDB', undefined);
  store = new OutboxStore(new DeviceDatabase());
  await addAll(assignments(limits.outboxEntries));
  await expect(store.add(assignment('more', ['x']))).rejects.toThrow('Too many changes wait for the network.');
});

test('a change that was made before the database opened is sent after those in it, and ends by itself', async () => {
  fakeIndexedDb();
  class LateDatabase extends DeviceDatabase {
    isOpen = true;

    override run<Result>(...[work, inMemory]: Parameters<DeviceDatabase['run']>): Promise<Result> {
      const answer = this.isOpen ? super.run(work, inMemory) : Promise.resolve(inMemory());
      return answer as Promise<Result>;
    }
  }
  const database = new LateDatabase();
  store = new OutboxStore(database);
  await addAll(assignments(2));
  database.isOpen = false;
  await addAll([assignment('early', ['x'])]);
  const begun = await store.startNext('ana');
  database.isOpen = true;
  expect(await paths('ana')).toEqual(['video-0', 'video-1', 'early']);
  await store.finish(begun!);
  expect(await paths('ana')).toEqual(['video-0', 'video-1']);
  await addAll([assignment('later', ['x'])]);
  store = new OutboxStore(new DeviceDatabase());
  expect(await paths('ana')).toEqual(['video-0', 'video-1', 'later']);
});

test('a device without room says so', async () => {
  fakeIndexedDb();
  const database = new DeviceDatabase();
  vi.spyOn(database, 'run').mockRejectedValue(new DOMException('No room', 'QuotaExceededError'));
  store = new OutboxStore(database);
  await expect(store.add(assignment('a', ['x']))).rejects.toThrow('This change could not be stored on this device.');
});

test('nothing of the account but settings may wait', () => {
  expect(Object.keys(outboxCalls).sort()).toEqual([
    'addFavourite',
    'assignTags',
    'createTag',
    'deleteTag',
    'removeFavourite',
    'removeTag',
    'updateBlocklist',
    'updateProfile',
    'updateTag',
  ]);
  const allowed = (call: string, body: unknown) => isOutboxCall({ call, body });
  expect(allowed('updateProfile', { settings: { shortcut_keys: true } })).toBe(true);
  expect(allowed('updateProfile', { email: 'a@b.c', current_password: 'secret' })).toBe(false);
  expect(allowed('updateProfile', { settings: {}, display_name: 'Ana' })).toBe(false);
  for (const call of ['changePassword', 'deleteAccount', 'acceptEula', 'upgradePlan', 'signIn', 'toString'])
    expect(allowed(call, {})).toBe(false);
});
