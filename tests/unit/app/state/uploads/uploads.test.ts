import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { accessRefused } from '#app/platform/http/call.ts';
import { clearTokens } from '#app/platform/http/token-store.ts';
import { endLocalSession } from '#app/state/account.ts';
import { resetConnection } from '#app/state/connection.ts';
import { setWifiOnly } from '#app/state/link-choice.ts';
import { resetSession } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { subscribeSessionEvents } from '#app/state/start-session.ts';
import { loadUploadQueue } from '#app/state/uploads/load-upload-queue.ts';
import { stopUploads } from '#app/state/uploads/upload-session.ts';
import type { UploadQueue } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { newBatch, newUpload } from '#device/uploads/queued-upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { fakeLocks } from '../../transfer/fake-locks.ts';
import { FakeUploadServer } from '../../transfer/fake-upload-server.ts';
import type { FakeBrowser } from '../fake-browser.ts';
import { fakeBrowser } from '../fake-browser.ts';
import type { Asked } from '../outbox/fake-api.ts';
import { FakeChannel } from './fake-channel.ts';
import { clockParts, filesOf, idOf, statuses, UploadStage } from './upload-stage.ts';

const kib = 1024;

let bytes: FakeUploadServer;
let stage: UploadStage;
let queue: UploadQueue;
let browser: FakeBrowser;
let page: { onLine: boolean; locks: LockManager; userAgent: string; connection?: object };

vi.mock('tus-js-client', async (original) => ({
  ...(await original<typeof import('tus-js-client')>()),
  DefaultHttpStack: class {
    getName = () => 'fake';
    createRequest = (method: string, url: string) => bytes.createRequest(method, url);
  },
}));

beforeEach(async () => {
  vi.useFakeTimers({ toFake: [...clockParts] });
  browser = fakeBrowser();
  page = { onLine: true, locks: fakeLocks(), userAgent: 'Chrome/1' };
  vi.stubGlobal('navigator', page);
  vi.stubGlobal('BroadcastChannel', FakeChannel);
  Object.assign(window, { BroadcastChannel: FakeChannel });
  bytes = new FakeUploadServer();
  bytes.bytesPerSecond = 64 * kib;
  stage = new UploadStage(bytes);
  stage.signIn('user-1');
  queue = await loadUploadQueue();
  await stage.pass();
});

afterEach(async () => {
  stopUploads();
  await stage.clear();
  FakeChannel.posted.length = 0;
  setWifiOnly('uploads', false);
  uploads.tagIds = [];
  clearTokens();
  resetSession();
  resetConnection();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function send(...files: Array<[name: string, bytes: number]>): Promise<void> {
  await queue.add(filesOf(...files));
  await stage.untilRead();
  await queue.start();
}

test('files wait for the button, and those that cannot be sent are refused with their reason', async () => {
  const refused = await queue.add(filesOf(['a.mp4', 10], ['notes.txt', 10], ['b.webm', 0]));
  await stage.pass(1);
  expect(refused.map(({ filename }) => filename)).toEqual(['notes.txt', 'b.webm']);
  expect([uploads.isLoaded, statuses(), stage.lines('initiate')]).toEqual([true, ['waiting: start'], []]);
});

test('a file that is in the list already is refused, also within one choice', async () => {
  const first = filesOf(['a.mp4', 10]);
  const again = first.map(({ file: { name, lastModified }, handle }) => ({
    file: new File([new Uint8Array(10)], name, { lastModified }),
    handle,
  }));
  expect(await queue.add([...first, ...first, ...filesOf(['a.mp4', 11])])).toEqual([
    { filename: 'a.mp4', reason: 'It is in the list already' },
  ]);
  vi.setSystemTime(Date.now() + 5000);
  expect(await queue.add(first)).toEqual([{ filename: 'a.mp4', reason: 'It is in the list already' }]);
  expect(await queue.add([...again, ...filesOf(['a.mp4', 10])])).toHaveLength(1);
  await stage.pass(1);
  expect(uploads.rows.map(({ size }) => size)).toEqual([10, 11, 10]);
});

test('a file that comes twice at once is listed once', async () => {
  const [file] = [filesOf(['a.mp4', 10])];
  const refused = await Promise.all([queue.add(file), queue.add(file)]);
  await stage.pass(1);
  expect([refused.map(({ length }) => length), uploads.rows.length]).toEqual([[0, 1], 1]);
});

test('a file whose bytes are with the server is refused until its batch is done', async () => {
  const small = filesOf(['a.mp4', 10]);
  await queue.add([...small, ...filesOf(['b.mp4', 256 * kib])]);
  await stage.untilRead();
  await queue.start();
  await stage.pass(1);
  expect(statuses()).toEqual(['sent', 'uploading']);
  expect(await queue.add(small)).toHaveLength(1);
  await stage.pass(6);
  expect(statuses()).toEqual(['completed', 'completed']);
  expect(await queue.add(small)).toHaveLength(0);
});

test('a file that was cleared without a network can be chosen again', async () => {
  const chosen = filesOf(['a.mp4', 256 * kib]);
  await queue.add(chosen);
  await stage.untilRead();
  await queue.start();
  await stage.pass(1);
  page.onLine = false;
  window.dispatchEvent(new Event('offline'));
  await queue.clearAll();
  await stage.pass(1);
  expect(uploads.rows).toEqual([]);
  expect(await queue.add(chosen)).toEqual([]);
  await stage.pass(1);
  expect(statuses()).toEqual(['waiting: start']);
});

test('they are sent, become videos, and the session is completed once with its key', async () => {
  await send(['a.mp4', 256 * kib], ['b.mp4', 32 * kib]);
  await stage.pass(2.5);
  expect(statuses()).toEqual(['uploading', 'sent']);
  expect(uploads.rows[0]).toMatchObject({
    size: 256 * kib,
    speed: expect.any(Number),
    secondsLeft: expect.any(Number),
  });
  expect(uploads.secondsLeft).toBeGreaterThan(0);
  await stage.pass(3);
  expect(uploads.rows.map(({ status }) => status)).toEqual([
    { kind: 'completed', videoId: 'video-session-1-0', note: null },
    { kind: 'completed', videoId: 'video-session-1-1', note: null },
  ]);
  expect([bytes.receivedBytes, stage.lines('complete').length]).toEqual([288 * kib, 1]);
  expect((await uploadStore.list('user-1'))[0]?.batch).toMatchObject({ state: 'over', key: null });
  await queue.clearCompleted();
  expect([uploads.rows.length, await uploadStore.list('user-1')]).toEqual([0, []]);
});

test('a session that is refused is said once, and the button is there again', async () => {
  stage.api.replies['POST /api/upload/initiate'] = () => ({
    status: 403,
    json: { error: 'quota_exceeded', message: 'Your space for uploads is used up.' },
  });
  await send(['a.mp4', 10]);
  await stage.pass(1);
  expect(uploads.startFailure).toBe('Failed to start upload session: Your space for uploads is used up.');
  expect(statuses()).toEqual(['waiting: start']);
});

test('an answer to the start that got lost is asked for again with the same key', async () => {
  const answer = stage.api.replies['POST /api/upload/initiate']!;
  stage.api.replies['POST /api/upload/initiate'] = () => 'away';
  await send(['a.mp4', 10]);
  await stage.pass(0.5);
  expect(statuses()).toEqual(['waiting: network']);
  stage.api.replies['POST /api/upload/initiate'] = answer;
  await stage.pass(5);
  const keys = stage.api.asked.filter(({ line }) => line.includes('initiate')).map(({ key }) => key);
  expect([keys.length > 1, new Set(keys).size, statuses()]).toEqual([true, 1, ['completed']]);
});

test('a page that closes while it stores the answer to the start opens no second session', async () => {
  const update = uploadStore.updateUpload.bind(uploadStore);
  let stored = 0;
  const slow = vi.spyOn(uploadStore, 'updateUpload').mockImplementation((id, change) => {
    if ('destination' in change) stored += 1;
    return stored > 1 ? new Promise(() => {}) : update(id, change);
  });
  await send(['a.mp4', 10], ['b.mp4', 10]);
  await stage.pass(0.5);
  stopUploads();
  slow.mockRestore();
  queue = await loadUploadQueue();
  await stage.pass(5);
  const keys = stage.api.asked.filter(({ line }) => line.includes('initiate')).map(({ key }) => key);
  expect([new Set(keys).size, statuses()]).toEqual([1, ['completed', 'completed']]);
});

test('tags go with the start, and with the completion when they come later', async () => {
  await queue.setTags(['tag-1']);
  await send(['a.mp4', 128 * kib]);
  await stage.pass(1);
  await queue.setTags(['tag-1', 'tag-2']);
  await stage.pass(5);
  const bodies = stage.api.asked.map(({ body }) => (body as { tag_ids?: string[] } | null)?.tag_ids).filter(Boolean);
  expect(bodies).toEqual([['tag-1'], ['tag-1', 'tag-2']]);
});

test('tags that are gone do not hold up a start: the others go with it', async () => {
  const answer = stage.api.replies['POST /api/upload/initiate']!;
  const isKept = ({ body }: Asked) => ((body as { tag_ids?: string[] }).tag_ids ?? []).every((id) => id === 'kept');
  Object.assign(stage.api.replies, {
    'POST /api/upload/initiate': (asked: Asked) => (isKept(asked) ? answer(asked) : { status: 404 }),
    'GET /api/tags/kept': () => ({ json: { tag: { id: 'kept', active: true } } }),
    'GET /api/tags/inactive': () => ({ json: { tag: { id: 'inactive', active: false } } }),
    'GET /api/tags/deleted': () => ({ status: 404 }),
  });
  await queue.setTags(['deleted', 'kept', 'inactive']);
  await send(['a.mp4', 32 * kib]);
  await stage.pass(3);
  expect([statuses(), uploads.startFailure, uploads.tagIds]).toEqual([['completed'], null, ['kept']]);
  const bodies = stage.api.asked.flatMap(({ body }) => (body as { tag_ids?: string[] } | null)?.tag_ids ?? []);
  expect(bodies).toEqual(['deleted', 'kept', 'inactive', 'kept', 'kept']);
});

test('tags of somebody who may not give any more do not hold up a start', async () => {
  await queue.setTags(['tag-1']);
  siteConfig.isTagEditingOpen = false;
  await send(['a.mp4', 32 * kib]);
  await stage.pass(3);
  siteConfig.isTagEditingOpen = true;
  expect(statuses()).toEqual(['completed']);
  const [start] = stage.api.asked.filter(({ line }) => line.includes('initiate'));
  expect(start?.body).not.toHaveProperty('tag_ids');
});

test('tags chosen while sent files are still listed stay chosen for the next files', async () => {
  await queue.setTags(['tag-1']);
  await send(['a.mp4', 32 * kib]);
  await stage.pass(3);
  expect(statuses()).toEqual(['completed']);
  await queue.setTags(['tag-2']);
  await stage.pass(1);
  expect(uploads.tagIds).toEqual(['tag-2']);
  await queue.add(filesOf(['b.mp4', 10]));
  await stage.pass(1);
  const batches = await uploadStore.list('user-1');
  expect(batches.map(({ batch }) => batch.tagIds)).toEqual([['tag-1'], ['tag-2']]);
});

test('a tag stays chosen when the list is read before a slow device has stored the choice', async () => {
  await queue.add(filesOf(['a.mp4', 10]));
  await stage.pass(1);
  const update = uploadStore.updateBatch.bind(uploadStore);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  vi.spyOn(uploadStore, 'updateBatch').mockImplementation((...change) => held.then(() => update(...change)));
  const choosing = queue.setTags(['tag-1']);
  await queue.clearCompleted();
  expect(uploads.tagIds).toEqual(['tag-1']);
  release();
  await choosing;
  await stage.pass(1);
  const [stored] = await uploadStore.list('user-1');
  expect([uploads.tagIds, stored?.batch.tagIds]).toEqual([['tag-1'], ['tag-1']]);
});

test('a file is paused, resumed, and tried again after a failure', async () => {
  await send(['a.mp4', 128 * kib]);
  await stage.pass(1);
  await queue.pauseAll();
  await stage.pass(5);
  expect([statuses(), bytes.running]).toEqual([['waiting: paused'], 0]);
  bytes.faults.HEAD = [{ kind: 'status', status: 403, statusText: 'Forbidden' }];
  await queue.resume(idOf('a.mp4'));
  await stage.pass(1);
  expect(uploads.rows[0]?.status).toEqual({ kind: 'failed', message: 'Upload failed: 403 Forbidden' });
  await queue.retry(idOf('a.mp4'));
  await stage.pass(5);
  expect([statuses(), bytes.receivedBytes]).toEqual([['completed'], 128 * kib]);
});

test('what is taken out is removed from the server, and the last one ends its session', async () => {
  await send(['a.mp4', 128 * kib], ['b.mp4', 128 * kib]);
  await stage.pass(0.5);
  await queue.remove(idOf('a.mp4'));
  await stage.pass(0.5);
  expect([stage.lines('DELETE'), uploads.rows.length]).toEqual([['DELETE /bytes/session-1-0'], 1]);
  await queue.clearAll();
  await stage.pass(1);
  expect([stage.lines('cancel').length, uploads.rows.length, bytes.running]).toEqual([1, 0, 0]);
  expect(await uploadStore.list('user-1')).toEqual([]);
});

test('a file that failed in a session that has expired can be tried again', async () => {
  bytes.faults.HEAD = [{ kind: 'status', status: 403, statusText: 'Forbidden' }];
  await send(['a.mp4', 32 * kib], ['b.mp4', 128 * kib]);
  await stage.pass(1);
  await queue.pause(idOf('b.mp4'));
  await stage.pass(1);
  expect(statuses()).toEqual(['failed', 'waiting: paused']);
  for (const file of bytes.files.values()) file.isGone = true;
  stage.api.replies['GET /api/upload/progress/session-1'] = () => ({ json: { status: 'expired', files: [] } });
  await queue.resume(idOf('b.mp4'));
  await stage.pass(10);
  expect(statuses()).toEqual(['failed', 'completed']);
  await queue.retry(idOf('a.mp4'));
  await stage.pass(10);
  expect(uploads.rows.map(({ name, status }) => [name, status.kind])).toEqual([
    ['b.mp4', 'completed'],
    ['a.mp4', 'completed'],
  ]);
});

test('a file that another device has cancelled can be tried again', async () => {
  await send(['a.mp4', 128 * kib], ['b.mp4', 256 * kib]);
  await stage.pass(1);
  for (const [address, file] of bytes.files) file.isGone = address.endsWith('-0');
  const files = [{ id: 'session-1-0', error: 'Upload was aborted' }];
  stage.api.replies['GET /api/upload/progress/session-1'] = () => ({ json: { status: 'open', files } });
  await queue.pause(idOf('a.mp4'));
  await queue.resume(idOf('a.mp4'));
  await stage.pass(5);
  expect(uploads.rows[0]?.status).toEqual({ kind: 'failed', message: 'Upload was aborted' });
  await queue.retry(idOf('a.mp4'));
  await stage.pass(10);
  expect(statuses()).toEqual(['completed', 'completed']);
});

/** The answer to a start is there, and does not come before it is let through. */
function holdStart(): () => void {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const send = fetch;
  vi.stubGlobal('fetch', async (address: string, options: RequestInit) => {
    const answer = await send(address, options);
    if (address.includes('initiate')) await held;
    return answer;
  });
  return () => release();
}

test('what is taken out while the session is being opened is removed from it', async () => {
  const release = holdStart();
  stage.api.replies['DELETE /bytes/session-1-0'] = () => ({ status: 204 });
  await send(['a.mp4', 128 * kib], ['b.mp4', 32 * kib]);
  await stage.pass(0.5);
  await queue.remove(idOf('a.mp4'));
  await stage.pass(0.5);
  expect(uploads.rows.map(({ name }) => name)).toEqual(['b.mp4']);
  release();
  await stage.pass(3);
  expect([stage.lines('DELETE'), statuses()]).toEqual([['DELETE /bytes/session-1-0'], ['completed']]);
});

test('a batch that is cleared while its session is being opened ends it', async () => {
  const release = holdStart();
  await send(['a.mp4', 128 * kib]);
  await stage.pass(0.5);
  await queue.clearAll();
  await stage.pass(0.5);
  expect(uploads.rows).toEqual([]);
  release();
  await stage.pass(3);
  expect([stage.lines('cancel').length, await uploadStore.list('user-1')]).toEqual([1, []]);
});

test('the server is told of what is taken out without a network once it can be reached', async () => {
  await send(['a.mp4', 128 * kib], ['b.mp4', 512 * kib]);
  await stage.pass(0.5);
  stage.api.replies['DELETE /bytes/session-1-0'] = () => 'away';
  await queue.remove(idOf('a.mp4'));
  await stage.pass(2);
  expect(uploads.rows.map(({ name }) => name)).toEqual(['b.mp4']);
  expect(uploads.ending).toBe(1);
  const unheard = stage.lines('DELETE').length;
  stage.api.replies['DELETE /bytes/session-1-0'] = () => ({ status: 204 });
  await stage.pass(30);
  expect([stage.lines('DELETE').length > unheard, statuses(), uploads.ending]).toEqual([true, ['completed'], 0]);
  expect((await uploadStore.list('user-1'))[0]?.uploads.map(({ name }) => name)).toEqual(['b.mp4']);
});

test('a sign-out stops and hides everything, drops the keys, and nobody else sends it', async () => {
  await send(['a.mp4', 256 * kib]);
  await stage.pass(1);
  await endLocalSession();
  await stage.pass(1);
  expect([uploads.rows, bytes.running]).toEqual([[], 0]);
  expect((await uploadStore.list('user-1'))[0]?.batch.key).toBeNull();
  const before = [bytes.receivedBytes, stage.api.writes.length];
  stage.signIn('user-2');
  await stage.pass(30);
  expect([bytes.receivedBytes, stage.api.writes.length]).toEqual(before);
  expect(uploads.rows).toEqual([]);
  stage.signIn('user-1');
  await stage.pass(10);
  expect([statuses(), bytes.receivedBytes, stage.lines('/key/').length]).toEqual([['completed'], 256 * kib, 1]);
});

test('a sign-out in another tab stops it, too', async () => {
  const stop = subscribeSessionEvents();
  await send(['a.mp4', 256 * kib]);
  await stage.pass(1);
  browser.storage.removeItem('fourfold.access-token');
  browser.writeElsewhere('fourfold.refresh-token', null);
  await stage.pass(0.5);
  expect([uploads.rows, bytes.running]).toEqual([[], 0]);
  stop();
});

test('a token that ran out is refreshed quietly, and where that is refused the start waits for the sign-in', async () => {
  let refused = 0;
  const stop = accessRefused.listen(() => {
    refused += 1;
  });
  const open = stage.api.replies['POST /api/upload/initiate']!;
  stage.api.replies['POST /api/upload/initiate'] = () => ({ status: 401, json: { error: 'token_expired' } });
  stage.api.replies['POST /auth/refresh'] = () => 'away';
  await send(['a.mp4', 10]);
  await stage.pass(2);
  expect(statuses()).toEqual(['waiting: network']);
  stage.api.replies['POST /api/upload/initiate'] = open;
  await stage.pass(10);
  expect([statuses(), refused]).toEqual([['completed'], 0]);
  stop();
});

test('only the same file goes on where another page has stopped', async () => {
  const batch = newBatch({ userId: 'user-1', createdAt: 0, state: 'open' });
  const identity = { headHash: 'a'.repeat(64), tailHash: 'b'.repeat(64) };
  const facts = { batchId: batch.id, source: { kind: 'picked-again' }, createdAt: 0 } as const;
  const [file] = filesOf(['a.mp4', 10]);
  await uploadStore.add(batch, [{ ...newUpload(file!.file, facts), identity }]);
  await queue.resumeAll();
  await stage.pass(1);
  expect(statuses()).toEqual(['waiting: pick-again']);
  expect(await queue.pickAgain(idOf('a.mp4'), file!)).toContain('Choose a.mp4 again');
  await uploadStore.updateUpload(idOf('a.mp4'), { identity: null });
  expect(await queue.pickAgain(idOf('a.mp4'), file!)).toBeNull();
  await stage.pass(2);
  expect(statuses()).toEqual(['completed']);
});

test('without a network files wait for it, and without Wi-Fi where only that is wanted', async () => {
  page.connection = Object.assign(new EventTarget(), { type: 'cellular' });
  setWifiOnly('uploads', true);
  await send(['a.mp4', 128 * kib]);
  await stage.pass(1);
  expect([statuses(), bytes.receivedBytes]).toEqual([['waiting: wifi'], 0]);
  setWifiOnly('uploads', false);
  await stage.pass(1);
  page.onLine = false;
  window.dispatchEvent(new Event('offline'));
  await stage.pass(5);
  expect([statuses(), bytes.running]).toEqual([['waiting: network'], 0]);
  page.onLine = true;
  window.dispatchEvent(new Event('online'));
  await stage.pass(0.5);
  expect(statuses()).toEqual(['uploading']);
});

test('the list goes on where the clock of the device is set back by an hour', async () => {
  await send(['a.mp4', 1024 * kib]);
  await stage.pass(2);
  await vi.advanceTimersByTimeAsync(200);
  vi.setSystemTime(Date.now() - 3_600_000);
  await stage.pass(4);
  const { secondsLeft: before } = uploads;
  await stage.pass(4);
  expect([statuses(), uploads.rows[0]?.speed]).toEqual([['uploading'], expect.any(Number)]);
  expect(uploads.rows[0]?.secondsLeft).toBeLessThan(before ?? 0);
  await stage.pass(8);
  expect(statuses()).toEqual(['completed']);
});

test('while another tab sends, this one shows its list, passes presses on, and takes over when it ends', async () => {
  stopUploads();
  let end = () => {};
  void page.locks.request('fourfold.uploads', {}, () => new Promise<void>((resolve) => (end = resolve)));
  queue = await loadUploadQueue();
  await send(['a.mp4', 32 * kib]);
  await stage.pass(1);
  expect([statuses(), bytes.receivedBytes]).toEqual([['waiting: other-tab'], 0]);
  const row = { ...uploads.rows[0]!, status: { kind: 'uploading', resumedAt: null } as const };
  FakeChannel.say({ kind: 'rows', report: { userId: 'user-2', rows: [row, row], secondsLeft: 9, ending: 0 } });
  FakeChannel.say({ kind: 'rows', report: { userId: 'user-1', rows: [row], secondsLeft: 7, ending: 0 } });
  expect([statuses(), uploads.secondsLeft]).toEqual([['uploading'], 7]);
  FakeChannel.posted.length = 0;
  await queue.pause(row.id);
  expect(FakeChannel.posted).toContainEqual({ kind: 'changed' });
  await queue.resume(row.id);
  end();
  await stage.pass(2.5);
  expect(statuses()).toEqual(['completed']);
});

test('a press in another tab reaches this one, and so does a file that was chosen there', async () => {
  await send(['a.mp4', 128 * kib]);
  await stage.pass(1);
  await uploadStore.updateUpload(idOf('a.mp4'), { isPaused: true });
  FakeChannel.say({ kind: 'changed' });
  await stage.pass(0.5);
  expect([statuses(), bytes.running]).toEqual([['waiting: paused'], 0]);
  const reports = FakeChannel.posted.filter(({ kind }) => kind === 'rows').length;
  FakeChannel.say({ kind: 'ask' });
  await stage.pass();
  expect(FakeChannel.posted.filter(({ kind }) => kind === 'rows').length).toBeGreaterThan(reports);
});

test('a file of another tab is asked for there, and passed on to others', async () => {
  const batch = newBatch({ userId: 'user-1', createdAt: 0, state: 'open' });
  const [own] = filesOf(['a.mp4', 10]);
  const draft = newUpload(own!.file, { batchId: batch.id, source: { kind: 'picked-again' }, createdAt: 0 });
  await uploadStore.add(batch, [draft]);
  await queue.resumeAll();
  await stage.pass(1);
  expect([statuses(), FakeChannel.posted.filter(({ kind }) => kind === 'want')]).toEqual([
    ['waiting: pick-again'],
    [{ kind: 'want', id: draft.id }],
  ]);
  FakeChannel.say({ kind: 'source', id: draft.id, file: own!.file });
  await stage.untilRead();
  await stage.pass(2);
  expect(statuses()).toEqual(['completed']);
  FakeChannel.say({ kind: 'want', id: draft.id });
  await stage.pass();
  expect(FakeChannel.posted).toContainEqual({ kind: 'source', id: draft.id, file: expect.anything() });
});

test('shared files are listed for whoever is signed in, and sent once they are claimed', async () => {
  const batch = newBatch({ userId: null, createdAt: 0, rejections: [{ filename: 'b.txt', reason: 'No' }] });
  const [file] = filesOf(['a.mp4', 10]);
  await uploadStore.add(batch, [
    newUpload(file!.file, { batchId: batch.id, source: { kind: 'picked-again' }, createdAt: 0 }),
  ]);
  await queue.resumeAll();
  expect(uploads.shared).toEqual([{ batchId: batch.id, names: ['a.mp4'], size: 10 }]);
  expect(await queue.claimShared(batch.id)).toEqual([{ filename: 'b.txt', reason: 'No' }]);
  expect([uploads.shared, statuses()]).toEqual([[], ['waiting: start']]);
});

test('of shared files that were all refused only the reasons are left, which are said once', async () => {
  const rejections = [{ filename: 'b.txt', reason: 'No' }];
  const batch = newBatch({ userId: null, createdAt: 0, rejections });
  await uploadStore.add(batch, []);
  expect(await queue.claimShared(batch.id)).toEqual(rejections);
  expect([await uploadStore.read(batch.id), await queue.claimShared(batch.id)]).toEqual([null, []]);
});

test('chosen files do not join a batch that is kept for some time only', async () => {
  const kept = newBatch({ userId: 'user-1', createdAt: 0, keptUntil: 10 });
  await uploadStore.add(kept, []);
  await queue.add(filesOf(['a.mp4', 10]));
  expect((await uploadStore.read(kept.id))?.uploads).toEqual([]);
  expect(statuses()).toEqual(['waiting: start']);
});
