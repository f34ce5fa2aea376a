import { afterEach, expect, test, vi } from 'vitest';
import { countWaiting, DeviceDatabase } from '#device/device-database.ts';
import { OutboxStore } from '#device/outbox-store.ts';
import { SavedStore } from '#device/saved/saved-store.ts';
import { newBatch } from '#device/uploads/queued-upload.ts';
import { UploadStore } from '#device/uploads/upload-store.ts';
import { fakeIndexedDb } from './fake-indexed-db.ts';
import { assignment } from './outbox/drafts.ts';
import { savedRow } from './saved/saved-row.ts';

afterEach(() => vi.unstubAllGlobals());

test('the start knows what waits, of whomever', async () => {
  fakeIndexedDb();
  const database = new DeviceDatabase();
  expect(await countWaiting(database)).toEqual([0, 0, 0]);
  await new OutboxStore(database).add(assignment('a', ['x']));
  expect(await countWaiting(new DeviceDatabase())).toEqual([1, 0, 0]);
  const store = new UploadStore(database);
  for (const state of ['draft', 'open', 'completing', 'cancelling', 'over'] as const)
    await store.add(newBatch({ userId: null, createdAt: 0, state }), []);
  await new SavedStore(database).add(savedRow());
  expect(await countWaiting(new DeviceDatabase())).toEqual([1, 4, 1]);
});

test('without a database nothing waits since an earlier page', async () => {
  vi.stubGlobal('indexedDB', undefined);
  expect(await countWaiting(new DeviceDatabase())).toEqual([]);
});
