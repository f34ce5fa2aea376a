import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeviceDatabase } from '#device/device-database.ts';
import { UploadStore } from '#device/uploads/upload-store.ts';
import { finishUploads, isUploadsSync } from '../../../sw/upload-calls.ts';
import { clockParts, fakeIndexedDb } from '../device/fake-indexed-db.ts';
import { batch, uploads } from '../device/uploads/uploads.ts';

const asked = vi.fn<(address: string, options: RequestInit) => Promise<Response>>();
const posted = vi.fn();

let store: UploadStore;

beforeEach(async () => {
  fakeIndexedDb();
  vi.stubGlobal('fetch', asked);
  vi.stubGlobal('self', { clients: { matchAll: async () => [{ postMessage: posted }] } });
  store = new UploadStore(new DeviceDatabase());
  await store.add(batch('b', { state: 'cancelling', sessionId: 's', key: 'secret' }), uploads('b', { name: 'a' }));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  asked.mockReset();
  posted.mockReset();
});

test('the server is told with the key alone, and the pages are', async () => {
  asked.mockResolvedValue(new Response(null, { status: 204 }));
  await finishUploads(store);
  const [address, options] = asked.mock.calls[0] ?? [];
  expect([address, options?.headers, options?.credentials]).toEqual([
    '/api/upload/cancel/s',
    { AccessKey: 'secret' },
    undefined,
  ]);
  expect([posted.mock.calls, await store.read('b')]).toEqual([[[{ type: 'UPLOADS_CHANGED' }]], null]);
});

test('without a network the browser is told to come again', async () => {
  asked.mockRejectedValue(new TypeError('Failed to fetch'));
  await expect(finishUploads(store)).rejects.toThrow('The server could not be told of all uploads');
});

test('a server that never answers does not hold the worker', async () => {
  vi.useFakeTimers({ toFake: [...clockParts] });
  asked.mockImplementation(
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('Aborted')))),
  );
  const outcome = expect(finishUploads(store)).rejects.toThrow('The server could not be told');
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(60_000);
  await outcome;
});

test('only the sync of the uploads is for them', () => {
  const sync = (tag: string) => isUploadsSync(Object.assign(new Event('sync'), { tag }));
  expect([sync('uploads'), sync('other')]).toEqual([true, false]);
});
