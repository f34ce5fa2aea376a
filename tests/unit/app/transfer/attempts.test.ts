import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AttemptEnd } from '#app/transfer/attempt.ts';
import { PutAttempt, TusAttempt } from '#app/transfer/attempt.ts';
import { FakeUploadServer, fakeSource } from './fake-upload-server.ts';

const mib = 1024 ** 2;
const size = 20 * mib;
const address = '/api/upload/address/a';

let server: FakeUploadServer;

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeUploadServer();
  server.add(address, size, 'key');
});

afterEach(() => {
  vi.useRealTimers();
});

function start(kind: typeof TusAttempt | typeof PutAttempt, { source = fakeSource('film', size), type = '' } = {}) {
  const acknowledged: number[] = [];
  const sent: number[] = [];
  const events = {
    onAcknowledged: (bytes: number) => void acknowledged.push(bytes),
    onSent: (bytes: number) => void sent.push(bytes),
  };
  const plan = { source: source, address, key: 'key', type, maxPartBytes: 64 * mib };
  const attempt = new kind(plan, events, server);
  let end: AttemptEnd | null = null;
  void attempt.run().then((it) => {
    end = it;
  });
  return { attempt, acknowledged, sent, end: () => end };
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test('by tus a file goes in parts that grow with the speed, and each one is confirmed', async () => {
  const run = start(TusAttempt);
  await pass(25);
  expect(run.end()).toEqual({ kind: 'sent' });
  expect(run.acknowledged).toEqual([...new Set(run.acknowledged)].sort((a, b) => a - b));
  expect([run.acknowledged[0], run.acknowledged[run.acknowledged.length - 1]]).toEqual([0, size]);
  expect(server.asked.filter((line) => line.startsWith('PATCH')).length).toBeLessThan(8);
  expect([server.receivedBytes, server.asked[0]]).toEqual([size, `HEAD ${address}`]);
  expect(server.lastHeaders).toMatchObject({ AccessKey: 'key', 'Tus-Resumable': '1.0.0' });
});

test.each([0, 1, 65_536, mib, 2 * mib - 1])('a part that is cut at byte %i loses nothing that has come', async (at) => {
  server.faults.PATCH = [{ kind: 'cut', at }];
  const first = start(TusAttempt);
  await pass(5);
  expect(first.end()).toEqual({ kind: 'unanswered' });
  const second = start(TusAttempt);
  await pass(25);
  expect([second.end(), second.acknowledged[0], server.receivedBytes]).toEqual([{ kind: 'sent' }, at, size]);
});

test('an answer that got lost is made up for by the offset', async () => {
  server.faults.PATCH = [{ kind: 'lost' }];
  start(TusAttempt);
  await pass(5);
  const second = start(TusAttempt);
  await pass(25);
  expect([second.acknowledged[0], server.receivedBytes]).toEqual([2 * mib, size]);
});

test('a refusal says its status and the wait that the server asks for', async () => {
  server.faults.HEAD = [{ kind: 'status', status: 503, statusText: 'Busy', headers: { 'Retry-After': '7' } }];
  const run = start(TusAttempt);
  await pass(1);
  expect(run.end()).toEqual({ kind: 'answered', status: 503, statusText: 'Busy', retryAfterMs: 7_000 });
});

test.each(['HEAD', 'PATCH'])('the page of a captive portal in place of %s is no answer', async (method) => {
  server.faults[method] = [{ kind: 'page' }];
  const run = start(TusAttempt);
  await pass(1);
  expect(run.end()).toEqual({ kind: 'unanswered' });
});

test('what cannot be read any more, or has become shorter, is not sent', async () => {
  const gone = { size, slice: () => Promise.reject(new DOMException('gone', 'NotFoundError')) };
  const shorter = { size, slice: async () => ({ size: 0 }) as Blob };
  for (const source of [gone, shorter])
    for (const kind of [TusAttempt, PutAttempt]) {
      const run = start(kind, { source: source as never });
      await pass(1);
      expect(run.end()).toEqual({ kind: 'unreadable' });
    }
  expect(server.receivedBytes).toBe(0);
});

test('an aborted attempt ends at once, and the server keeps what it has', async () => {
  const run = start(TusAttempt);
  await pass(1);
  run.attempt.abort();
  await pass(0);
  const before = server.receivedBytes;
  await pass(10);
  expect([run.end(), server.receivedBytes, server.running]).toEqual([{ kind: 'aborted' }, before, 0]);
});

test('a plain address gets the whole file, its type or the one of any bytes', async () => {
  const run = start(PutAttempt);
  await pass(25);
  expect([run.end(), run.acknowledged]).toEqual([{ kind: 'sent' }, [0, size]]);
  expect(server.lastHeaders).toEqual({ AccessKey: 'key', 'Content-Type': 'application/octet-stream' });
  start(PutAttempt, { type: 'video/webm' });
  await pass(1);
  expect(server.lastHeaders['Content-Type']).toBe('video/webm');
});

test('a plain address begins at 0 each time, and a page in place of its answer confirms nothing', async () => {
  server.faults.PUT = [{ kind: 'cut', at: mib }, { kind: 'page' }];
  for (const _ of [1, 2]) {
    const run = start(PutAttempt);
    await pass(5);
    expect(run.end()).toEqual({ kind: 'unanswered' });
  }
  const last = start(PutAttempt);
  await pass(25);
  expect([last.end(), server.receivedBytes]).toEqual([{ kind: 'sent' }, size + mib]);
});
