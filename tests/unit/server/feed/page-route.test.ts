import { Writable } from 'node:stream';
import cookie from '@fastify/cookie';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { GiveVideo } from '#server/features/feed/give-video.ts';
import { maxFilledAtOnce, pageRoute } from '#server/features/feed/page-route.ts';
import { Refusal } from '#server/http/pipeline/errors.ts';
import { createIds } from '#server/ids.ts';
import { putFile } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const page = '<!doctype html><title>Fourfold</title>';

async function openPage(giveVideo: GiveVideo) {
  const lines: string[] = [];
  const stream = new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) });
  const app = fastify({ logger: { level: 'warn', stream } });
  onTestFinished(() => app.close());
  await app.register(cookie);
  await pageRoute(
    app,
    { ids: createIds(systemClock), giveVideo },
    putFile(temporaryFolder(), 'index.html', page),
    async () => 'stranger',
  );
  return { get: async () => (await app.inject('/')).body, lines };
}

test('the page waits 100 ms for its first videos, then goes out without them, and says so once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const { get, lines } = await openPage(() => {
    resolve();
    return new Promise(() => {});
  });
  let isAnswered = false;
  const first = get().finally(() => {
    isAnswered = true;
  });
  await asked;
  vi.advanceTimersByTime(99);
  expect(isAnswered).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await first).toBe(page);
  // Sockets of earlier tests in this process may have timers of their own.
  const others = vi.getTimerCount();
  const second = get();
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(others));
  vi.advanceTimersByTime(100);
  expect(await second).toBe(page);
  expect(lines.length).toBe(1);
});

test('pages beyond those that wait for their videos go out at once, and ask for nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let answer = (_error: Error) => {};
  const unanswered = new Promise<never>((_, reject) => {
    answer = reject;
  });
  const viewers = new Set<string>();
  const { get } = await openPage((_wish, { viewer }) => {
    viewers.add(viewer);
    return unanswered;
  });
  const waiting = Array.from({ length: maxFilledAtOnce }, get);
  await vi.waitFor(() => expect(viewers.size).toBe(maxFilledAtOnce));
  expect([await get(), viewers.size]).toEqual([page, maxFilledAtOnce]);
  // Nobody waits for these any more, and still they count until the database has answered.
  vi.advanceTimersByTime(100);
  await Promise.all(waiting);
  expect([await get(), viewers.size]).toEqual([page, maxFilledAtOnce]);
  answer(new Error('The database is away.'));
  await vi.waitFor(async () => {
    await get();
    expect(viewers.size).toBeGreaterThan(maxFilledAtOnce);
  });
});

test('what fails is logged once, until it has worked again', async () => {
  let fault: Error | null = new Error('The database is away.');
  const { get, lines } = await openPage(async () => {
    if (fault !== null) throw fault;
    return {
      available: false,
      message: '',
      id: null,
      path: null,
      filename: null,
      url: null,
      matching: 0,
      processing: null,
    };
  });
  for (let times = 0; times < 3; times += 1) expect(await get()).toBe(page);
  expect(lines.length).toBe(1);
  fault = null;
  await get();
  fault = new Error('It is away again.');
  await get();
  expect(lines.length).toBe(2);
});

test('an empty library is not logged', async () => {
  const { get, lines } = await openPage(async () => {
    throw new Refusal('no_videos_available');
  });
  expect(await get()).toBe(page);
  expect(lines).toEqual([]);
});
