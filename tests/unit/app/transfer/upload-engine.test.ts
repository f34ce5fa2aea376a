import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { EngineStage, mib } from './engine-stage.ts';

let stage: EngineStage;

beforeEach(() => {
  vi.useFakeTimers();
  stage = new EngineStage();
});

afterEach(() => {
  stage.engine.stop();
  vi.useRealTimers();
});

/** Adds files and lets them be sent. */
async function send(...sizes: number[]): Promise<void> {
  await stage.add(...sizes);
  await stage.engine.reload();
}

const idOf = async (name: string) => (await stage.uploads()).find((upload) => upload.name === name)!.id;
const transferOf = async (name: string) => stage.engine.transfers.get(await idOf(name))!;

test('files are sent three at a time, the smallest first, and the session is completed once', async () => {
  await send(6 * mib, 2 * mib, 8 * mib, mib);
  await stage.pass(0.5);
  expect(stage.server.asked.slice(0, 3)).toEqual([expect.any(String), expect.any(String), expect.any(String)]);
  expect((await transferOf('film 2')).isActive).toBe(false);
  await stage.pass(60);
  expect(await stage.states()).toEqual(['completed', 'completed', 'completed', 'completed']);
  expect([stage.server.mostRunning, stage.server.receivedBytes]).toEqual([3, 17 * mib]);
  expect(stage.calls.asked).toEqual(['open 4', 'finish completing']);
});

test('on a thin link one at a time is sent', async () => {
  stage.link.isThin = true;
  await send(mib, mib, mib);
  await stage.pass(30);
  expect([stage.server.mostRunning, await stage.states()]).toEqual([1, ['completed', 'completed', 'completed']]);
});

test.each([0, 1, 65_536, mib, 2 * mib - 1])(
  'a network that ends at byte %i costs nothing that has come',
  async (at) => {
    stage.server.faults.PATCH = [{ kind: 'cut', at }];
    await send(5 * mib);
    await stage.pass(30);
    expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed'], 5 * mib]);
    expect((await stage.uploads())[0]!.attempts).toBe(0);
  },
);

test('the largest file there may be is read in parts of at most 64 MiB', async () => {
  stage.server.bytesPerSecond = 64 * mib;
  await send(limits.uploadBytes);
  await stage.pass(200);
  expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed'], limits.uploadBytes]);
  expect(Math.max(...stage.read)).toBe(64 * mib);
});

test('two answers of 500 are waited out, one after the other for longer', async () => {
  const failure = { kind: 'status', status: 500 } as const;
  stage.server.faults.HEAD = [failure, failure];
  await send(mib);
  await stage.pass(0.5);
  expect((await stage.uploads())[0]).toMatchObject({ state: 'pending', attempts: 1 });
  await stage.pass(1);
  expect((await stage.uploads())[0]!.attempts).toBe(2);
  await stage.pass(1.4);
  expect(stage.server.asked.length).toBe(2);
  await stage.pass(10);
  expect([await stage.states(), (await stage.uploads())[0]!.attempts]).toEqual([['completed'], 0]);
});

test.each(['goes on', 'is loaded anew'])('a clock that is set back holds no file up, when the page %s', async (way) => {
  stage.server.faults.HEAD = [{ kind: 'status', status: 500 }];
  await send(mib);
  await stage.pass(0.5);
  expect((await stage.uploads())[0]).toMatchObject({ state: 'pending', attempts: 1 });
  vi.setSystemTime(Date.now() - 400 * 24 * 60 * 60_000);
  if (way === 'is loaded anew') await stage.restart();
  await stage.pass(10);
  expect(await stage.states()).toEqual(['completed']);
});

test('a server that fails for ever has its bound, also with a HEAD that is answered', async () => {
  stage.server.faults.PATCH = Array.from({ length: 50 }, () => ({
    kind: 'status',
    status: 500,
    statusText: 'Internal Server Error',
  }));
  await send(mib);
  await stage.pass(1_000);
  expect((await stage.uploads())[0]).toMatchObject({
    state: 'failed',
    message: 'Upload failed: 500 Internal Server Error',
  });
  expect(stage.server.asked.filter((line) => line.startsWith('PATCH')).length).toBe(limits.uploadAttempts);
});

test('a refusal fails at once, and the others of its batch become videos', async () => {
  stage.server.faults.HEAD = [{ kind: 'status', status: 403, statusText: 'Forbidden' }];
  await send(mib, 2 * mib);
  await stage.pass(10);
  expect((await stage.uploads()).map(({ state, message }) => [state, message])).toEqual([
    ['failed', 'Upload failed: 403 Forbidden'],
    ['completed', null],
  ]);
  await stage.store.updateUpload(await idOf('film 0'), { state: 'pending', attempts: 0, nextAttemptAt: 0 });
  await stage.engine.reload();
  await stage.pass(10);
  expect(await stage.states()).toEqual(['completed', 'completed']);
  expect(stage.calls.asked).toEqual(['open 2', 'finish completing', 'finish completing']);
});

test('the server is told once of a batch of which all has failed, and again when it has failed again', async () => {
  const refused = { kind: 'status', status: 403, statusText: 'Forbidden' } as const;
  stage.server.faults.HEAD = [refused, refused, refused];
  await send(mib, 2 * mib);
  await stage.pass(10);
  stage.engine.plan();
  await stage.pass(10);
  expect(await stage.states()).toEqual(['failed', 'failed']);
  expect(stage.calls.asked).toEqual(['open 2', 'finish completing']);
  await stage.store.updateUpload(await idOf('film 0'), { state: 'pending', attempts: 0, nextAttemptAt: 0 });
  await stage.engine.reload();
  await stage.pass(10);
  expect(await stage.states()).toEqual(['failed', 'failed']);
  expect(stage.calls.asked).toEqual(['open 2', 'finish completing', 'finish completing']);
});

test('a busy server is waited for as long as it asks, and never counts as a failure', async () => {
  const busy = { kind: 'status', status: 503, headers: { 'Retry-After': '20' } } as const;
  stage.server.faults.HEAD = Array.from({ length: 15 }, () => busy);
  await send(mib);
  await stage.pass(19);
  expect(stage.server.asked.length).toBe(1);
  await stage.pass(15 * 60);
  expect(await stage.states()).toEqual(['completed']);
});

test('a proxy that takes small bodies alone gets small ones', async () => {
  stage.server.faults.PATCH = [1, 2].map(() => ({ kind: 'status', status: 413 }));
  await send(3 * mib);
  await stage.pass(30);
  expect(await stage.states()).toEqual(['completed']);
});

test('a full disk is tried again after a minute', async () => {
  stage.server.faults.PATCH = [{ kind: 'status', status: 507 }];
  await send(mib);
  await stage.pass(59);
  expect(stage.server.asked.length).toBe(2);
  await stage.pass(10);
  expect(await stage.states()).toEqual(['completed']);
});

test('a connection that is dead without anybody knowing is given up after 30 s', async () => {
  stage.server.faults.PATCH = [{ kind: 'stall', at: mib }];
  await send(5 * mib);
  await stage.pass(30);
  expect(stage.server.asked.length).toBe(2);
  await stage.pass(12);
  expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed'], 5 * mib]);
});

test('without a network files wait for it, no attempt counts, and they go on at once when it is back', async () => {
  await send(5 * mib);
  await stage.pass(1);
  stage.link.isOnline = false;
  stage.server.isAway = true;
  stage.engine.plan();
  await stage.pass(600);
  expect((await stage.uploads())[0]).toMatchObject({ state: 'pending', attempts: 0 });
  Object.assign(stage.link, { isOnline: true });
  stage.server.isAway = false;
  stage.engine.hurry();
  await stage.pass(0.5);
  expect((await stage.uploads())[0]!.state).toBe('uploading');
  expect((await transferOf('film 0')).resumedAt).toBe(20);
  await stage.pass(10);
  expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed'], 5 * mib]);
});

test('a server that does not answer is asked again, at last once a minute, and at once when it is said to be back', async () => {
  stage.server.isAway = true;
  await send(mib);
  await stage.pass(3_600);
  const hourly = stage.server.asked.length;
  expect(hourly).toBeGreaterThan(55);
  expect(hourly).toBeLessThan(75);
  expect(stage.unanswered).toBe(hourly);
  // A signal that is not true must not make it ask all the time.
  for (let count = 0; count < 50; count += 1) {
    stage.engine.hurry();
    await stage.pass(0.1);
  }
  expect(stage.server.asked.length - hourly).toBeLessThan(5);
  await stage.pass(30);
  stage.server.isAway = false;
  stage.engine.hurry();
  await stage.pass(5);
  expect(await stage.states()).toEqual(['completed']);
});

test('a connection that ends is not made anew before the server has what came', async () => {
  stage.server.faults.PATCH = [{ kind: 'cut', at: mib }];
  await send(5 * mib);
  await stage.pass(1.1);
  const before = stage.server.asked.length;
  stage.engine.hurry();
  await stage.pass(0.8);
  expect(stage.server.asked.length).toBe(before);
  await stage.pass(0.4);
  expect(stage.server.asked.length).toBeGreaterThan(before);
});

test('a captive portal counts as no network', async () => {
  stage.server.faults.HEAD = [{ kind: 'page' }];
  stage.server.faults.PATCH = [{ kind: 'page' }];
  await send(mib);
  await stage.pass(0.5);
  expect((await transferOf('film 0')).wait).toBe('network');
  await stage.pass(20);
  expect([await stage.states(), stage.unanswered]).toEqual([['completed'], 2]);
});

test('a server that ends and starts again is gone on with', async () => {
  await send(5 * mib, 5 * mib);
  await stage.pass(1);
  stage.server.isAway = true;
  stage.server.cutAll();
  await stage.pass(10);
  stage.server.isAway = false;
  await stage.pass(60);
  expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed', 'completed'], 10 * mib]);
});

test('a device that has slept goes on where it was', async () => {
  await send(5 * mib);
  await stage.pass(1);
  vi.setSystemTime(Date.now() + 8 * 3_600_000);
  stage.server.cutAll();
  stage.engine.hurry();
  await stage.pass(10);
  expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed'], 5 * mib]);
  expect(stage.calls.asked).toEqual(['open 1', 'finish completing']);
});

test('a later page asks the server, and goes on', async () => {
  await send(5 * mib);
  await stage.pass(1.5);
  const before = stage.server.receivedBytes;
  expect(before).toBeGreaterThan(mib);
  await stage.restart();
  await stage.pass(30);
  expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed'], 5 * mib]);
  expect(stage.calls.asked).toEqual(['open 1', 'finish completing']);
});

test('a key that was dropped at sign-out is asked for anew', async () => {
  await send(5 * mib);
  await stage.pass(1.5);
  stage.engine.stop();
  await stage.store.forgetKeys('user-1');
  await stage.restart();
  await stage.pass(30);
  expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed'], 5 * mib]);
  expect(stage.calls.asked).toEqual(['open 1', 'renewKey', 'finish completing']);
});

test('a key that does not open the addresses any more is asked for anew, once for all files', async () => {
  await send(5 * mib, 6 * mib);
  await stage.pass(1.5);
  stage.calls.changeKeys();
  await stage.pass(60);
  expect(await stage.states()).toEqual(['completed', 'completed']);
  expect(stage.calls.asked).toEqual(['open 2', 'renewKey', 'finish completing']);
});

test('a session that the server has forgotten is replaced, and its files begin anew, as their rows say', async () => {
  await send(5 * mib, mib);
  await stage.pass(2.5);
  stage.calls.expire();
  stage.server.cutAll();
  await stage.pass(3);
  expect((await transferOf('film 0')).note).toBe(failures.uploadForgotten);
  await stage.pass(60);
  expect(await stage.states()).toEqual(['completed', 'completed']);
  expect(stage.calls.asked.filter((line) => line.startsWith('open')).length).toBe(2);
});

test('a session that nobody knows any more is replaced, too', async () => {
  await send(5 * mib);
  await stage.pass(2.5);
  stage.calls.sessions.clear();
  stage.server.files.clear();
  stage.server.cutAll();
  await stage.pass(60);
  expect(await stage.states()).toEqual(['completed']);
  expect(stage.calls.asked).toEqual(['open 1', 'renewKey', 'readProgress', 'open 1', 'finish completing']);
});

test('a copy that is whole by now goes on in place of a file that was lost', async () => {
  stage.missing['film 0'] = 'pick-again';
  await send(mib);
  await stage.pass(1);
  await stage.engine.reload();
  expect((await transferOf('film 0')).wait).toBe('pick-again');
  delete stage.missing['film 0'];
  await stage.store.updateUpload(await idOf('film 0'), { source: { kind: 'picked-again' } });
  await stage.engine.reload();
  await stage.pass(5);
  expect(await stage.states()).toEqual(['completed']);
});

test('a plain address begins at 0 after a reload, and its row says so', async () => {
  stage.calls.protocol = 'put';
  await send(5 * mib);
  await stage.pass(1.5);
  await stage.restart();
  await stage.pass(0.5);
  expect((await transferOf('film 0')).note).toBe(failures.uploadBeginsAnew);
  await stage.pass(30);
  expect(await stage.states()).toEqual(['completed']);
});

test('while nobody is signed in a session waits, and what has one is sent', async () => {
  stage.calls.ends.open = [{ kind: 'not-signed-in' }];
  const batch = await stage.add(mib);
  await stage.engine.reload();
  await stage.pass(600);
  expect([stage.calls.asked, stage.engine.sessions.waitOf(batch)]).toEqual([['open 1'], 'sign-in']);
  stage.engine.hurry();
  await stage.pass(5);
  expect(await stage.states()).toEqual(['completed']);
});

test('a session that is refused leaves the batch to its person', async () => {
  stage.calls.ends.open = [{ kind: 'refused', status: 403, sentence: 'Your space for uploads is used up.' }];
  const batch = await stage.add(mib);
  await stage.engine.reload();
  await stage.pass(60);
  expect(stage.refusals).toEqual(['Your space for uploads is used up.']);
  expect((await stage.store.read(batch))?.batch.state).toBe('draft');
  await stage.store.updateBatch(batch, { state: 'open' });
  await stage.engine.reload();
  await stage.pass(5);
  expect(await stage.states()).toEqual(['completed']);
});

test('a file without an address fails, and the person is told why beside the row', async () => {
  const { open } = stage.calls;
  stage.calls.open = async (batch, uploads) => {
    const end = await open.call(stage.calls, batch, uploads);
    return end.kind === 'done' ? { kind: 'done', reply: { ...end.reply, files: end.reply.files.slice(0, 1) } } : end;
  };
  await send(mib, mib);
  await stage.pass(10);
  expect(stage.refusals).toEqual(['No upload URL found for file: film 1']);
  expect(await stage.states()).toEqual(['completed', 'failed']);
});

test('files of somebody who may not upload any more fail with the reason, and nobody is asked for a key again', async () => {
  await send(5 * mib);
  await stage.pass(1);
  stage.calls.renewKey = async () => {
    stage.calls.asked.push('renewKey');
    return { kind: 'refused', status: 403, sentence: 'Only administrators can upload here.' };
  };
  const [upload] = await stage.uploads();
  await stage.store.updateBatch(upload!.batchId, { key: null });
  await stage.engine.reload();
  await stage.pass(120);
  expect((await stage.uploads())[0]).toMatchObject({
    state: 'failed',
    message: 'Only administrators can upload here.',
    destination: null,
  });
  expect(stage.calls.asked.filter((line) => line === 'renewKey').length).toBe(1);
});

test('a completion that gets no answer is asked for again', async () => {
  stage.calls.ends.finish = ['later', 'later'];
  await send(mib);
  await stage.pass(2);
  expect(await stage.states()).toEqual(['sent']);
  await stage.pass(10);
  expect([await stage.states(), stage.calls.asked.length]).toEqual([['completed'], 4]);
});

test('a completion that a page has begun is ended by the next one', async () => {
  stage.calls.ends.finish = ['later'];
  await send(mib);
  await stage.pass(1.5);
  await stage.restart();
  await stage.pass(5);
  expect(await stage.states()).toEqual(['completed']);
});

test('a paused file is not sent, keeps nobody waiting, and goes on where it was', async () => {
  await send(5 * mib, mib);
  await stage.pass(0.5);
  await stage.store.updateUpload(await idOf('film 0'), { isPaused: true });
  await stage.engine.reload();
  await stage.pass(10);
  expect(await stage.states()).toEqual(['pending', 'completed']);
  expect(stage.server.running).toBe(0);
  await stage.store.updateUpload(await idOf('film 0'), { isPaused: false });
  await stage.engine.reload();
  await stage.pass(10);
  expect([await stage.states(), stage.server.receivedBytes]).toEqual([['completed', 'completed'], 6 * mib]);
});

test('a file that has to be chosen again keeps nobody waiting, and goes on once it was', async () => {
  stage.missing['film 0'] = 'pick-again';
  await send(2 * mib, mib);
  await stage.pass(10);
  expect([await stage.states(), (await transferOf('film 0')).wait]).toEqual([['pending', 'completed'], 'pick-again']);
  delete stage.missing['film 0'];
  stage.engine.retrySource(await idOf('film 0'));
  await stage.pass(10);
  expect(await stage.states()).toEqual(['completed', 'completed']);
});

test('a file that is taken out while it moves is sent no further', async () => {
  await send(5 * mib);
  await stage.pass(1);
  await stage.store.removeUpload(await idOf('film 0'));
  await stage.engine.reload();
  const before = stage.server.receivedBytes;
  await stage.pass(10);
  expect([stage.server.receivedBytes, stage.server.running]).toEqual([before, 0]);
});

test('a cancelled batch stops, and the server is told', async () => {
  const batch = await stage.add(5 * mib);
  await stage.engine.reload();
  await stage.pass(1);
  await stage.store.updateBatch(batch, { state: 'cancelling' });
  await stage.engine.reload();
  await stage.pass(1);
  expect([stage.server.running, stage.calls.asked]).toEqual([0, ['open 1', 'finish cancelling']]);
});

test('without Wi-Fi nothing is sent where only that is wanted', async () => {
  await send(5 * mib);
  await stage.pass(1);
  stage.link.isAllowed = false;
  stage.engine.plan();
  await stage.pass(60);
  expect([stage.server.running, await stage.states()]).toEqual([0, ['pending']]);
  stage.link.isAllowed = true;
  stage.engine.plan();
  await stage.pass(10);
  expect(await stage.states()).toEqual(['completed']);
});

test('a stopped engine sends nothing more, whatever comes back', async () => {
  await send(5 * mib, mib, mib, mib);
  await stage.pass(0.5);
  stage.engine.stop();
  const [bytes, asked] = [stage.server.receivedBytes, stage.calls.asked.length];
  stage.engine.hurry();
  await stage.pass(600);
  expect([stage.server.receivedBytes, stage.calls.asked.length, stage.server.running]).toEqual([bytes, asked, 0]);
});
