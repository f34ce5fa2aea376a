import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { download } from '#app/platform/http/download.ts';
import { HttpError, NetworkError } from '#app/platform/http/send.ts';
import { exportTags } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';

let asked: { address: string; accept: string | null }[];
let answer: () => Response;
/** Feeds the body of the answer. */
let body: ReadableStreamDefaultController<Uint8Array>;
let isCancelled: boolean;
let giving: AbortController;
let progress: number[];

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  isCancelled = false;
  giving = new AbortController();
  progress = [];
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      body = controller;
    },
    cancel() {
      isCancelled = true;
    },
  });
  answer = () => new Response(stream, { headers: { 'Content-Type': 'text/csv' } });
  vi.stubGlobal('fetch', async (address: string, { headers }: RequestInit) => {
    asked.push({ address, accept: new Headers(headers).get('Accept') });
    return answer();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const start = () =>
  download(exportTags, {
    query: { format: 'csv' },
    signal: giving.signal,
    onProgress: (bytes) => void progress.push(bytes),
  });

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('a file comes in pieces, however long they take together', async () => {
  const file = start();
  for (const piece of ['tag,path\n', 'Alps,a.mp4\n']) {
    body.enqueue(bytesOf(piece));
    await vi.advanceTimersByTimeAsync((limits.callTimeoutSeconds - 1) * 1000);
  }
  body.close();
  expect(await (await file).text()).toBe('tag,path\nAlps,a.mp4\n');
  expect((await file).type).toBe('text/csv');
  expect(progress).toEqual([9, 20]);
  expect(asked).toEqual([{ address: '/api/admin/tags/export?format=csv', accept: '*/*' }]);
});

test('a refusal is the words of the server', async () => {
  answer = () => Response.json({ error: 'forbidden', message: 'Not allowed.' }, { status: 403 });
  const refusal = await start().catch((error) => error);
  expect(refusal).toBeInstanceOf(HttpError);
  expect(refusal).toMatchObject({ status: 403, message: 'Not allowed.' });
});

test('the page of a captive portal is no file', async () => {
  answer = () => new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  await expect(start()).rejects.toBeInstanceOf(NetworkError);
});

test('a file that is cut off is none', async () => {
  const file = start();
  body.enqueue(bytesOf('tag,'));
  await vi.advanceTimersByTimeAsync(0);
  body.error(new TypeError('terminated'));
  await expect(file).rejects.toBeInstanceOf(NetworkError);
});

test('silence in the middle ends it', async () => {
  const file = expect(start()).rejects.toBeInstanceOf(NetworkError);
  body.enqueue(bytesOf('tag,'));
  await vi.advanceTimersByTimeAsync(limits.callTimeoutSeconds * 1000);
  await file;
  expect(isCancelled).toBe(true);
});

test('it is given up in the middle', async () => {
  const file = expect(start()).rejects.toMatchObject({ name: 'AbortError' });
  body.enqueue(bytesOf('tag,'));
  await vi.advanceTimersByTimeAsync(0);
  giving.abort();
  await file;
  expect(isCancelled).toBe(true);
});
