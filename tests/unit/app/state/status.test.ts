import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection, resetConnection } from '#app/state/connection.ts';
import { pollStatus, resetStatus, status } from '#app/state/status.ts';

const page = Object.assign(new EventTarget(), { hidden: false });

let asks: AbortSignal[];
let answer: () => Response | Promise<Response>;
let stop: () => void;

const reply =
  (total: number, scanning: object = {}) =>
  () =>
    new Response(
      JSON.stringify({
        TotalVideos: total,
        AvailableVideos: total - 1,
        ScanningStatus: { FullScanComplete: true, BackgroundScanning: false, InitialScanComplete: true, ...scanning },
      }),
    );

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

function hide(isHidden: boolean): void {
  page.hidden = isHidden;
  page.dispatchEvent(new Event('visibilitychange'));
}

beforeEach(() => {
  vi.useFakeTimers();
  page.hidden = false;
  asks = [];
  answer = reply(12);
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('fetch', async (_address: string, { signal }: { signal: AbortSignal }) => {
    asks.push(signal);
    return answer();
  });
  stop = pollStatus();
});

afterEach(() => {
  stop();
  resetStatus();
  resetConnection();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the counts are asked for at once, and then every 30 s', async () => {
  await seconds(0);
  expect(status.counts).toEqual({ totalVideos: 12, availableVideos: 11, scanning: 'Complete' });
  answer = reply(13);
  await seconds(29.9);
  expect(asks).toHaveLength(1);
  await seconds(0.1);
  expect(status.counts?.totalVideos).toBe(13);
});

test.each([
  ['First scan', { InitialScanComplete: false, FullScanComplete: false, BackgroundScanning: true }],
  ['In background', { FullScanComplete: false, BackgroundScanning: true }],
  ['In background', { BackgroundScanning: true }],
  ['Complete', {}],
])("scanning reads '%s'", async (words, scanning) => {
  answer = reply(12, scanning);
  await seconds(0);
  expect(status.counts?.scanning).toBe(words);
});

test('a hidden tab asks for nothing, and a shown one goes on where it stopped', async () => {
  await seconds(10);
  hide(true);
  await seconds(300);
  expect(asks).toHaveLength(1);
  hide(false);
  await seconds(0);
  expect(asks).toHaveLength(2);
  hide(true);
  hide(false);
  await seconds(29);
  expect(asks).toHaveLength(2);
});

test('a question that is under way when the tab is hidden is given up', async () => {
  answer = () => new Promise(() => {});
  hide(false);
  await seconds(0);
  hide(true);
  expect(asks[0]?.aborted).toBe(true);
});

test('while the server is away nothing is asked, and the last counts stand', async () => {
  await seconds(0);
  connection.isReachable = false;
  await seconds(300);
  expect(asks).toHaveLength(1);
  expect(status.counts?.totalVideos).toBe(12);
  connection.isReachable = true;
  await seconds(0);
  expect(asks).toHaveLength(2);
});

test('a poll that fails is nothing to a viewer', async () => {
  await seconds(0);
  answer = () => new Response('{"error":"internal"}', { status: 500 });
  await seconds(30);
  answer = reply(14);
  await seconds(30);
  expect(status.counts?.totalVideos).toBe(14);
});
