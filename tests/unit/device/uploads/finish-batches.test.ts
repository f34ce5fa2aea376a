import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CompletedFile } from '#contract/entities/upload.ts';
import { DeviceDatabase } from '#device/device-database.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { finishBatches } from '#device/uploads/finish-batches.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { UploadStore } from '#device/uploads/upload-store.ts';
import { fakeIndexedDb } from '../fake-indexed-db.ts';
import { batch, uploads } from './uploads.ts';

const send = vi.fn<(address: string, options: RequestInit) => Promise<Response>>();

let store: UploadStore;

beforeEach(() => {
  fakeIndexedDb();
  store = new UploadStore(new DeviceDatabase());
});

afterEach(() => {
  vi.unstubAllGlobals();
  send.mockReset();
});

const address = (fileId: string) => ({ fileId, address: `/api/upload/address/${fileId}`, protocol: 'tus' as const });
const sent = (name: string, facts: Partial<QueuedUpload> = {}) => ({
  name,
  state: 'sent' as const,
  destination: address(name),
  ...facts,
});
const add = (facts: Partial<UploadBatch>, ...files: Parameters<typeof uploads>[1][]) =>
  store.add(batch('b', { sessionId: 's/1', key: 'secret', state: 'completing', ...facts }), uploads('b', ...files));
const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status });
const completed = (...files: Array<Partial<CompletedFile>>) =>
  json(200, {
    success: true,
    videos: [],
    failed: [],
    files: files.map((file) => ({ message: null, video_id: null, ...file })),
  });
const stored = () => store.read('b');

test('a completed batch is told with its key, and its files have what became of them', async () => {
  await add({ tagIds: ['t'] }, sent('a'), sent('c'));
  send.mockResolvedValue(
    completed(
      { id: 'c', status: 'completed', video_id: 'v2', message: 'An administrator has to approve this video first.' },
      { id: 'a', status: 'completed', video_id: 'v1' },
    ),
  );
  expect(await finishBatches(store, send)).toBe(true);
  expect(send.mock.calls).toEqual([
    [
      '/api/upload/complete/s%2F1',
      {
        method: 'POST',
        headers: { AccessKey: 'secret', 'Content-Type': 'application/json' },
        body: JSON.stringify({ session_id: 's/1', files: [], tag_ids: ['t'] }),
      },
    ],
  ]);
  expect(await stored()).toMatchObject({
    batch: { state: 'over', key: null },
    uploads: [
      { state: 'completed', videoId: 'v1', message: null, acknowledgedBytes: 10 },
      { state: 'completed', videoId: 'v2', message: 'An administrator has to approve this video first.' },
    ],
  });
});

test('what failed can be tried again, and what has not arrived is sent again, with the same key', async () => {
  await add({}, sent('a'), sent('c'), sent('d'), { name: 'e', state: 'failed', destination: null });
  send.mockResolvedValue(
    completed(
      { id: 'a', status: 'completed', video_id: 'v1' },
      { id: 'c', status: 'failed', message: 'This is not a video.' },
      { id: 'd', status: 'uploading' },
    ),
  );
  await finishBatches(store, send);
  expect(await stored()).toMatchObject({
    batch: { state: 'open', key: 'secret', sessionId: 's/1' },
    uploads: [
      { state: 'completed' },
      { state: 'failed', message: 'This is not a video.' },
      { state: 'pending' },
      { state: 'failed' },
    ],
  });
});

test('what had failed before all of it was sent stays failed', async () => {
  await add({}, sent('a'), { name: 'c', state: 'failed', destination: address('c'), message: 'No' });
  send.mockResolvedValue(completed({ id: 'a', status: 'completed', video_id: 'v1' }, { id: 'c', status: 'uploading' }));
  await finishBatches(store, send);
  expect((await stored())?.uploads[1]).toMatchObject({ state: 'failed', message: 'No' });
});

test('the server is told which files have failed here', async () => {
  const failed = (name: string) => sent(name, { state: 'failed' });
  await add({ state: 'completing' }, sent('a'), failed('c'), sent('d', { state: 'pending' }), failed('e'), {
    name: 'f',
    state: 'failed',
  });
  send.mockResolvedValue(completed({ id: 'a', status: 'completed', video_id: 'v1' }));
  await finishBatches(store, send);
  expect(JSON.parse(send.mock.calls[0]?.[1].body as string)).toMatchObject({ failed_ids: ['c', 'e'] });
});

const answered = (status: number) => new Response(null, { status });

test.each([
  ['open', 204],
  ['open', 409],
  ['open', 410],
  ['completing', 204],
] as const)('a file that was taken out of a batch that is %s is told, and gone after a %d', async (state, status) => {
  await add({ state }, { ...sent('a'), state: 'removed' }, sent('c'));
  send.mockResolvedValueOnce(answered(status));
  send.mockResolvedValueOnce(completed({ id: 'a', status: 'completed' }, { id: 'c', status: 'completed' }));
  expect(await finishBatches(store, send)).toBe(true);
  const headers = { AccessKey: 'secret', 'Tus-Resumable': '1.0.0' };
  expect(send.mock.calls[0]).toEqual(['/api/upload/address/a', { method: 'DELETE', headers }]);
  expect(send.mock.calls.length).toBe(state === 'open' ? 1 : 2);
  expect((await stored())?.uploads.map(({ name }) => name)).toEqual(['c']);
});

test('while the server cannot be told of what was taken out, it makes no video of it, and nothing else becomes of it', async () => {
  const { uploads: files } = await add({}, { ...sent('a'), state: 'removed' }, sent('c'));
  send.mockResolvedValueOnce(answered(503)).mockRejectedValueOnce(new TypeError('no network'));
  expect(await finishBatches(store, send)).toBe(false);
  expect(await finishBatches(store, send)).toBe(false);
  await store.updateUpload(files[0]!.id, { state: 'completed' });
  expect(await stored()).toMatchObject({ batch: { state: 'completing' }, uploads: [{ state: 'removed' }, {}] });
  expect(send.mock.calls.every(([to]) => to.includes('address'))).toBe(true);
});

test('without a key what was taken out waits for its owner, and without a session it just goes', async () => {
  await add({ state: 'open' }, { ...sent('a'), state: 'removed' }, sent('c'));
  send.mockResolvedValueOnce(answered(404));
  expect(await finishBatches(store, send)).toBe(true);
  expect(await stored()).toMatchObject({ batch: { key: null }, uploads: [{ state: 'removed' }, {}] });
  await store.updateBatch('b', { state: 'over', sessionId: null });
  expect(await finishBatches(store, send)).toBe(true);
  expect([(await stored())?.uploads.length, send.mock.calls.length]).toEqual([1, 1]);
});

test('a cancelled batch is told, and goes with its files', async () => {
  await add({ state: 'cancelling' }, sent('a'));
  send.mockResolvedValue(new Response(null, { status: 204 }));
  expect(await finishBatches(store, send)).toBe(true);
  expect([send.mock.calls, await stored()]).toEqual([
    [['/api/upload/cancel/s%2F1', { method: 'DELETE', headers: { AccessKey: 'secret' } }]],
    null,
  ]);
});

test('one that was cancelled before the server knew of it just goes', async () => {
  await add({ state: 'cancelling', sessionId: null, key: null }, sent('a'));
  expect([await finishBatches(store, send), await stored(), send.mock.calls]).toEqual([true, null, []]);
});

test.each([
  ['no network', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['a server in trouble', async () => json(503, {})],
  ['too many calls', async () => json(429, {})],
  ['a portal', async () => new Response('<html>Sign in</html>')],
])('with %s it is tried again, and nothing is lost', async (_, answer) => {
  await add({}, sent('a'));
  await store.add(batch('c', { state: 'cancelling', sessionId: 's/2', key: 'other' }), uploads('c', { name: 'd' }));
  const before = await store.listEnding();
  send.mockImplementation(answer);
  expect([await finishBatches(store, send), await store.listEnding()]).toEqual([false, before]);
});

test('a session that is over takes what was sent with it', async () => {
  await add({}, sent('a', { acknowledgedBytes: 10 }), sent('c', { state: 'completed' }));
  send.mockResolvedValue(json(410, { error: 'gone', message: 'This upload has expired.' }));
  expect(await finishBatches(store, send)).toBe(true);
  expect(await stored()).toMatchObject({
    batch: { state: 'over', sessionId: null, key: null },
    uploads: [
      { state: 'failed', message: 'This upload has expired.', destination: null, acknowledgedBytes: 0 },
      { state: 'completed' },
    ],
  });
  await store.updateBatch('b', { state: 'cancelling', sessionId: 's', key: 'k' });
  expect([await finishBatches(store, send), await stored()]).toEqual([true, null]);
});

test.each(['completing', 'cancelling'] as const)(
  'a %s batch whose key is refused waits for a new one',
  async (state) => {
    await add({ state }, sent('a'));
    send.mockImplementation(async () => json(404, {}));
    expect([await finishBatches(store, send), await finishBatches(store, send)]).toEqual([true, true]);
    expect([send.mock.calls.length, (await stored())?.batch]).toMatchObject([
      1,
      { state, key: null, sessionId: 's/1' },
    ]);
  },
);

test('a key that was renewed meanwhile stays', async () => {
  await add({}, sent('a'));
  send.mockImplementation(async () => {
    await store.updateBatch('b', { key: 'newer' });
    return json(404, {});
  });
  await finishBatches(store, send);
  expect((await stored())?.batch.key).toBe('newer');
});

test('channels that are gone do not keep the videos back', async () => {
  await add({ tagIds: ['gone'] }, sent('a'));
  send.mockResolvedValueOnce(json(404, {})).mockResolvedValueOnce(completed({ id: 'a', status: 'completed' }));
  await finishBatches(store, send);
  expect(JSON.parse(String(send.mock.calls[1]?.[1].body))).toMatchObject({ tag_ids: [] });
  expect((await stored())?.batch.state).toBe('over');
});

test('what is cancelled while the server completes it is cancelled next', async () => {
  await add({}, sent('a'));
  send.mockImplementationOnce(async () => {
    await store.updateBatch('b', { state: 'cancelling' });
    return completed({ id: 'a', status: 'completed' });
  });
  await finishBatches(store, send);
  expect((await stored())?.batch).toMatchObject({ state: 'cancelling', key: 'secret' });
});

describe('page and worker at once', () => {
  test('end with the same', async () => {
    await add({}, sent('a'));
    send.mockImplementation(async () => completed({ id: 'a', status: 'completed', video_id: 'v1' }));
    const other = new UploadStore(new DeviceDatabase());
    expect(await Promise.all([finishBatches(store, send), finishBatches(other, send)])).toEqual([true, true]);
    expect(await stored()).toMatchObject({ batch: { state: 'over' }, uploads: [{ videoId: 'v1' }] });
  });
});

describe('channels that were made without a network', () => {
  const temporaryId = `new-${'0'.repeat(32)}`;
  const create = () =>
    outboxStore.add({
      userId: 'user-1',
      call: 'createTag',
      params: null,
      body: { name: 'Lighthouses' },
      subject: 'Lighthouses',
      temporaryId,
      idempotencyKey: 'key',
      createdAt: 0,
    });
  const tagIdsSent = () => send.mock.calls.map(([, { body }]) => JSON.parse(String(body)).tag_ids);

  afterEach(() => outboxStore.discardAll('user-1'));

  test('a batch waits until its channel is created, and is completed with the id that the server gave', async () => {
    const entry = await create();
    await add({ userId: 'user-1', tagIds: ['t', temporaryId] }, sent('a'));
    send.mockImplementation(async () => completed({ id: 'a', status: 'completed', video_id: 'v' }));
    expect(await finishBatches(store, send)).toBe(false);
    expect(tagIdsSent()).toEqual([]);
    await outboxStore.finish(entry, 'l');
    expect(await finishBatches(store, send)).toBe(true);
    expect(tagIdsSent()).toEqual([['t', 'l']]);
  });

  test('a batch is completed without a channel that was refused', async () => {
    const entry = await create();
    await add({ userId: 'user-1', tagIds: [temporaryId, 't'] }, sent('a'));
    await outboxStore.refuse(entry.number, 'The name is taken.');
    send.mockImplementation(async () => completed({ id: 'a', status: 'completed', video_id: 'v' }));
    expect(await finishBatches(store, send)).toBe(true);
    expect(tagIdsSent()).toEqual([['t']]);
  });
});
