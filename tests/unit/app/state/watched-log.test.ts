import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { connection, resetConnection } from '#app/state/connection.ts';
import { resetSession, session } from '#app/state/session.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { shownVideos } from '#app/state/unsent.ts';
import { shownHere, watchedForgotten, watchedLog } from '#app/state/watched-log.ts';
import { limits } from '#contract/limits.ts';
import { facts } from '#device/device-database.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { tokenOf } from './outbox/fake-api.ts';
import { person } from './people.ts';

const taken = { status: 204 };

let network: FakeNetwork;
let page: EventTarget & { hidden: boolean };
let frame: EventTarget;
let beacons: Blob[];
let takesBeacons: boolean;

beforeEach(async () => {
  vi.useFakeTimers();
  network = fakeNetwork();
  page = Object.assign(new EventTarget(), { hidden: false });
  frame = new EventTarget();
  beacons = [];
  takesBeacons = true;
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', frame);
  const sendBeacon = (_: string, body: Blob) => takesBeacons && beacons.push(body) > 0;
  vi.stubGlobal('navigator', { onLine: true, sendBeacon });
  signOut();
  watchedLog.start();
  await pass(0);
});

afterEach(async () => {
  watchedLog.stop();
  await facts.update('untold-videos', () => []);
  await facts.update('shown-videos', () => ({ userId: null, ids: [] }));
  clearTokens();
  resetSession();
  resetConnection();
  resetSiteConfig();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

function signIn(id: string): void {
  storeTokens({ access_token: tokenOf(id), refresh_token: `refresh-${id}` });
  Object.assign(session, { phase: 'known', user: { ...person(), id } });
}

function signOut(): void {
  clearTokens();
  Object.assign(session, { phase: 'known', user: null });
}

async function show(...ids: string[]): Promise<void> {
  for (const id of ids) {
    shownVideos.untold.push(id);
    await pass(0);
  }
}

/** Ids in a row: `v0`, `v1` … */
const row = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `v${from + at}`);
const reports = () => network.fetch.mock.calls.map(([, { body }]) => JSON.parse(String(body)).ids as string[]);
const tokensSent = () =>
  network.fetch.mock.calls.map(([, { headers }]) => (headers as Record<string, string>).Authorization);
const stored = async () => (await facts.read('untold-videos')) ?? [];

async function reload(): Promise<void> {
  watchedLog.stop();
  watchedLog.start();
  await pass(0);
}

async function hide(): Promise<void> {
  page.hidden = true;
  page.dispatchEvent(new Event('visibilitychange'));
  await pass(0);
}

test('what was shown is reported two seconds after the last one, in its order', async () => {
  network.answer(taken);
  await show('a', 'b');
  await pass(limits.watchedReportSeconds - 0.5);
  await show('c');
  await pass(limits.watchedReportSeconds - 0.1);
  expect(reports()).toEqual([]);
  await pass(0.1);
  expect(reports()).toEqual([['a', 'b', 'c']]);
  expect(network.fetch.mock.calls[0]?.[0]).toBe('/api/watched');
  expect(shownVideos.untold).toEqual([]);
});

test('sixteen are reported without a wait', async () => {
  network.answer(taken);
  await show(...row(limits.watchedReportVideos - 1));
  expect(reports()).toEqual([]);
  await show('last');
  expect(reports()).toEqual([[...row(limits.watchedReportVideos - 1), 'last']]);
});

test('each report begins with the eight before, so that a server that was killed misses none', async () => {
  network.answer(taken, taken);
  await show(...row(10));
  await pass(limits.watchedReportSeconds);
  await show('next');
  await pass(limits.watchedReportSeconds);
  expect(reports()[1]).toEqual([...row(8, 2), 'next']);
});

test('nothing is reported while a quadrant waits for its pick', async () => {
  network.answer(taken);
  let isPickOpen = true;
  watchedLog.yieldTo(() => isPickOpen);
  await show('a');
  await pass(limits.watchedReportSeconds * 3);
  expect(reports()).toEqual([]);
  isPickOpen = false;
  await pass(limits.watchedReportSeconds);
  expect(reports()).toEqual([['a']]);
});

test('a report that gets no answer is repeated with the next one', async () => {
  network.answer('away', taken);
  await show('a');
  await pass(limits.watchedReportSeconds);
  expect(await stored()).toEqual([{ userId: null, id: 'a' }]);
  await show('b');
  await pass(limits.watchedReportSeconds);
  expect(reports()).toEqual([['a'], ['a', 'b']]);
  expect([await stored(), shownVideos.untold]).toEqual([[], []]);
});

test.each([429, 503, 401])('a report that is answered by %i goes with the next one', async (status) => {
  network.answer({ status, json: { error: 'x', message: 'Not now' } }, taken);
  await show('a');
  await pass(limits.watchedReportSeconds);
  expect(shownVideos.untold).toEqual(['a']);
});

test('a report that the server refuses is not repeated', async () => {
  network.answer({ status: 400, json: { error: 'bad_request', message: 'No' } });
  await show('a');
  await pass(limits.watchedReportSeconds);
  expect([shownVideos.untold, await stored()]).toEqual([[], []]);
});

test('twenty that were shown without a network are reported once, in their order, when it is back', async () => {
  connection.isReachable = false;
  const ids = row(20);
  for (const id of ids) {
    await show(id);
    await pass(10);
  }
  expect([reports(), (await stored()).map(({ id }) => id)]).toEqual([[], ids]);
  network.answer(taken);
  connection.isReachable = true;
  recovered.emit();
  await pass(0);
  expect([reports(), await stored(), shownVideos.untold]).toEqual([[ids], [], []]);
  recovered.emit();
  await pass(60);
  expect(reports()).toHaveLength(1);
});

test('after a restart what waits on the device is reported before what is shown then', async () => {
  connection.isReachable = false;
  await show('a', 'b');
  await pass(limits.watchedReportSeconds);
  connection.isReachable = true;
  network.answer(taken);
  await reload();
  await show('c');
  await pass(limits.watchedReportSeconds);
  expect([reports(), await stored()]).toEqual([[['a', 'b', 'c']], []]);
});

test('at most two hundred wait, the oldest go first, and they are reported in several calls', async () => {
  connection.isReachable = false;
  await show(...row(limits.watchedUnsent + 5));
  await pass(limits.watchedReportSeconds);
  expect((await stored()).map(({ id }) => id)).toEqual(row(limits.watchedUnsent, 5));
  network.answer(taken, taken, taken, taken);
  connection.isReachable = true;
  recovered.emit();
  await pass(1);
  expect(reports().every(({ length }) => length <= limits.watchedPerCall)).toBe(true);
  expect([...new Set(reports().flat())]).toEqual(row(limits.watchedUnsent, 5));
  expect([await stored(), shownVideos.untold]).toEqual([[], []]);
});

test('a page that is hidden hands the rest to the browser, once', async () => {
  await show('a', 'b');
  await hide();
  frame.dispatchEvent(new Event('pagehide'));
  await pass(limits.watchedReportSeconds * 2);
  expect(await Promise.all(beacons.map((body) => body.text()))).toEqual([JSON.stringify({ ids: ['a', 'b'] })]);
  expect(reports()).toEqual([]);
});

test('where the browser takes no beacon, the rest is stored and sent as usual', async () => {
  takesBeacons = false;
  network.answer('away');
  await show('a');
  await hide();
  expect([reports(), await stored()]).toEqual([[['a']], [{ userId: null, id: 'a' }]]);
  expect(network.fetch.mock.calls[0]?.[1].keepalive).toBe(true);
});

test('an engine that fails JSON with keepalive, as Chromium 68 does, is sent the report without', async () => {
  vi.stubGlobal('CSS', { supports: () => false });
  network.answer(taken);
  await show('a');
  await pass(limits.watchedReportSeconds);
  expect(reports()).toEqual([['a']]);
  expect(network.fetch.mock.calls[0]?.[1]).not.toHaveProperty('keepalive');
});

test('what somebody who is signed in has watched goes with their token, and never by a beacon', async () => {
  signIn('ana');
  await pass(0);
  network.answer(taken, taken);
  await show('a');
  await hide();
  expect([beacons, reports(), tokensSent()]).toEqual([[], [['a']], [`Bearer ${tokenOf('ana')}`]]);
  expect(await stored()).toEqual([]);
});

test('nobody reports what the one before has watched: it waits for them', async () => {
  signIn('ana');
  await pass(0);
  await show('of-ana');
  signOut();
  await pass(0);
  network.answer(taken, taken);
  await show('of-nobody');
  await pass(limits.watchedReportSeconds);
  expect([reports(), tokensSent()]).toEqual([[['of-nobody']], [undefined]]);
  expect(await stored()).toEqual([{ userId: 'ana', id: 'of-ana' }]);
  signIn('ana');
  await pass(limits.watchedReportSeconds);
  expect([reports()[1], tokensSent()[1]]).toEqual([['of-ana'], `Bearer ${tokenOf('ana')}`]);
});

test('a report that is answered after a sign-out takes nothing from who comes next', async () => {
  let answer = (_: Response) => {};
  network.fetch.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await show('early');
  await pass(limits.watchedReportSeconds);
  signIn('ana');
  await pass(0);
  await show('of-ana');
  network.answer(taken);
  answer(new Response(null, { status: 204 }));
  await pass(limits.watchedReportSeconds);
  expect(reports()).toEqual([['early'], ['of-ana']]);
});

test('as long as nobody knows who watches, nothing is reported', async () => {
  watchedLog.stop();
  Object.assign(session, { phase: 'loading', user: null });
  watchedLog.start();
  await show('a');
  await pass(60);
  expect(reports()).toEqual([]);
  network.answer(taken);
  signIn('ana');
  await pass(limits.watchedReportSeconds);
  expect([reports(), tokensSent()]).toEqual([[['a']], [`Bearer ${tokenOf('ana')}`]]);
});

test('a site that does not remember hears of nothing, and nothing is kept here', async () => {
  siteConfig.remembersWatched = false;
  await show(...row(20));
  await hide();
  await pass(60);
  expect([reports(), beacons, shownVideos.untold, await stored()]).toEqual([[], [], [], []]);
  expect((await shownHere()).size).toBe(0);
});

test('the device knows the last thousand that it has shown the viewer, and nobody else has', async () => {
  connection.isReachable = false;
  for (let from = 0; from < 1_100; from += 100) {
    shownVideos.untold.push(...row(100, from));
    await pass(limits.watchedReportSeconds);
    shownVideos.untold = [];
    await pass(0);
  }
  expect([...(await shownHere())]).toEqual(row(limits.shownOnDevice, 100));
  signIn('ana');
  await pass(0);
  expect((await shownHere()).size).toBe(0);
});

test('what is forgotten is reported no more, and the device has shown nothing', async () => {
  const heard = vi.fn();
  const stop = watchedForgotten.listen(heard);
  connection.isReachable = false;
  await show('a', 'b');
  await pass(limits.watchedReportSeconds);
  await watchedLog.forget();
  connection.isReachable = true;
  recovered.emit();
  await pass(60);
  stop();
  expect([reports(), await stored(), (await shownHere()).size]).toEqual([[], [], 0]);
  expect(heard).toHaveBeenCalledOnce();
});

test('a report in flight is answered before the log is emptied, and the next one waits for that', async () => {
  const answers: (() => void)[] = [];
  const calls: string[] = [];
  network.fetch.mockImplementation(async (_, { body }) => {
    calls.push(JSON.parse(String(body)).ids.join());
    await new Promise<void>((resolve) => answers.push(resolve));
    return new Response(null, taken);
  });
  await show('a');
  await pass(limits.watchedReportSeconds);
  const forgotten = watchedLog.forget(async () => {
    calls.push('forget');
    await new Promise<void>((resolve) => answers.push(resolve));
  });
  await pass(0);
  expect(calls).toEqual(['a']);
  answers.shift()?.();
  await pass(0);
  await show('b');
  await pass(limits.watchedReportSeconds);
  expect(calls).toEqual(['a', 'forget']);
  answers.shift()?.();
  await pass(0);
  await forgotten;
  await show('c');
  await pass(limits.watchedReportSeconds);
  expect(calls).toEqual(['a', 'forget', 'c']);
});

test('what was not reported is reported after all if the log could not be emptied', async () => {
  network.answer(taken);
  const fail = new AbortController();
  const failing = new Promise<void>((_, reject) => {
    fail.signal.addEventListener('abort', () => reject(new Error('away')));
  });
  const forgotten = watchedLog.forget(() => failing);
  await show('a');
  await pass(limits.watchedReportSeconds);
  expect(reports()).toEqual([]);
  fail.abort();
  await expect(forgotten).rejects.toThrow('away');
  await pass(0);
  expect(reports()).toEqual([['a']]);
});

test('a log that is to be forgotten is not that of somebody who has signed in meanwhile', async () => {
  signIn('ana');
  await pass(0);
  let answer = () => {};
  network.fetch.mockImplementationOnce(async () => {
    await new Promise<void>((resolve) => (answer = resolve));
    return new Response(null, taken);
  });
  await show('a');
  await pass(limits.watchedReportSeconds);
  const forgetThere = vi.fn(async () => {});
  const forgotten = watchedLog.forget(forgetThere);
  signIn('ben');
  await pass(0);
  await show('b');
  answer();
  await forgotten;
  expect([forgetThere.mock.calls.length, shownVideos.untold]).toEqual([0, ['b']]);
});

test('a log that was forgotten takes nothing from somebody who has signed in meanwhile', async () => {
  signIn('ana');
  await pass(0);
  let answer = () => {};
  const forgotten = watchedLog.forget(() => new Promise<void>((resolve) => (answer = resolve)));
  await pass(0);
  signIn('ben');
  await pass(0);
  await show('b');
  await facts.update('shown-videos', () => ({ userId: 'ben', ids: ['b'] }));
  answer();
  await forgotten;
  expect([shownVideos.untold, await facts.read('shown-videos')]).toEqual([['b'], { userId: 'ben', ids: ['b'] }]);
});
