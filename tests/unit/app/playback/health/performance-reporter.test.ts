import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { accessRefused } from '#app/platform/http/call.ts';
import { reached } from '#app/platform/http/send.ts';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import { PerformanceReporter } from '#app/playback/health/performance-reporter.ts';
import type { QualitySample } from '#app/playback/health/quality-sampler.ts';
import type { PerformanceReport } from '#contract/entities/performance.ts';
import { performanceReportSchema } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { FakeNetwork } from '../../platform/fake-network.ts';
import { fakeNetwork } from '../../platform/fake-network.ts';

const accepted = { status: 202, json: { accepted: 1 } };
const perCall = limits.performanceSamplesPerCall;
const often = limits.performanceReportSeconds;
const soon = limits.performanceTroubleSeconds;
const startedAt = Date.UTC(2026, 0, 1);

let network: FakeNetwork;
let reporter: PerformanceReporter;
let stop: () => void;
let page: EventTarget & { hidden: boolean };
let frame: EventTarget;
/** Bodies of beacons; `takesBeacons` says whether the browser takes another one. */
let beacons: Blob[];
let takesBeacons: () => boolean;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(startedAt);
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  network = fakeNetwork();
  page = Object.assign(new EventTarget(), { hidden: false, documentElement: { dataset: { form: 'tv' } } });
  frame = new EventTarget();
  beacons = [];
  takesBeacons = () => true;
  const sendBeacon = (_: string, body: Blob) => takesBeacons() && beacons.push(body) > 0;
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', frame);
  vi.stubGlobal('navigator', { onLine: true, sendBeacon });
  reporter = new PerformanceReporter();
  stop = reporter.start();
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const healthy: Omit<QualitySample, 'quadrant' | 'at'> = {
  videoId: 'v1',
  droppedFrames: 0,
  totalFrames: 25,
  stalls: 0,
  qualityAdjustments: 0,
  failures: 0,
  bufferedAheadSeconds: 8.123456,
  bufferLevelSeconds: 8.123456,
  width: 960,
  height: 540,
  bandwidthMbps: null,
};

type Facts = Partial<QualitySample> | ((second: number) => Partial<QualitySample>);

/** Seconds of four quadrants, each of which ends with their samples. */
async function watch(seconds: number, facts: Facts = {}): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    const own = typeof facts === 'function' ? facts(second) : facts;
    reporter.add(quadrants.map((quadrant) => ({ ...healthy, ...own, quadrant, at: Date.now() })));
  }
  await answersArrive();
}

/** Seconds in which nothing is to play. */
async function rest(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    reporter.add([]);
  }
  await answersArrive();
}

/** Of as many calls after one another as samples may wait. */
async function answersArrive(): Promise<void> {
  for (let call = 0; call < 10; call += 1) await vi.advanceTimersByTimeAsync(0);
}

function hide(isHidden: boolean): void {
  page.hidden = isHidden;
  page.dispatchEvent(new Event('visibilitychange'));
}

/** As the server would read them. */
const calls = () => network.fetch.mock.calls.map(([, { body }]) => readReport(String(body)));
const reports = async () => [...calls(), ...(await beaconed())];
const beaconed = () => Promise.all(beacons.map(async (beacon) => readReport(await beacon.text())));

function readReport(body: string): PerformanceReport {
  expect(body.length).toBeLessThan(64 * 1024);
  performanceReportSchema.parse(JSON.parse(body));
  return JSON.parse(body);
}

/** Another video in each second, so that no two of them are summed. */
const restless = (second: number) => ({ videoId: `v${second}` });

/** The seconds of the watched time, by quadrant, of which all samples together are sums. */
const keysOf = (sent: readonly PerformanceReport[]) =>
  sent.flatMap(({ samples }) =>
    samples.flatMap(({ quadrant, timestamp, seconds = 1 }) =>
      Array.from({ length: seconds }, (_, index) => {
        const at = Date.parse(timestamp) - (seconds - 1 - index) * 1_000;
        return `${quadrant} ${new Date(at).toISOString()}`;
      }),
    ),
  );

function expectNoneTwice(sent: readonly PerformanceReport[], count: number): void {
  const keys = keysOf(sent);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toHaveLength(count);
}

describe('a healthy viewer', () => {
  test('reports without keepalive in an engine that fails it beside JSON, as Chromium 68 does', async () => {
    vi.stubGlobal('CSS', { supports: () => false });
    network.answer(accepted);
    await watch(often);
    expect(network.fetch).toHaveBeenCalledTimes(1);
    expect(network.fetch.mock.calls[0]?.[1]).not.toHaveProperty('keepalive');
  });

  test('reports all four quadrants in one call every half minute', async () => {
    network.answer(accepted, accepted);
    await watch(often - 1);
    expect(network.fetch).not.toHaveBeenCalled();
    await watch(1);
    expect(network.fetch).toHaveBeenCalledTimes(1);
    const [address, options] = network.fetch.mock.calls[0] ?? [];
    expect(address).toBe('/api/optimization/performance/all');
    expect(options).toMatchObject({
      method: 'POST',
      keepalive: true,
      credentials: 'same-origin',
      headers: { 'Content-Type': 'application/json' },
    });
    const [report] = calls();
    expect(report).toMatchObject({ form: 'tv', sent_at: new Date(startedAt + often * 1_000).toISOString() });
    expect(report?.samples).toHaveLength(12);
    expect(report?.samples[5]).toEqual({
      timestamp: new Date(startedAt + 20_000).toISOString(),
      quadrant: 'top-right',
      seconds: 10,
      dropped_frames: 0,
      total_frames: 250,
      buffer_level_seconds: 8.12,
      stall_events: 0,
      quality_adjustments: 0,
      video_id: 'v1',
    });
    await watch(often);
    expectNoneTwice(calls(), 2 * perCall);
  });

  test('reports nothing while nothing plays', async () => {
    await rest(300);
    hide(true);
    expect(network.fetch).not.toHaveBeenCalled();
    expect(beacons).toEqual([]);
  });

  test('reports what had played before a pause', async () => {
    network.answer(accepted);
    await watch(10);
    await rest(often);
    expect(network.fetch).toHaveBeenCalledTimes(1);
    expectNoneTwice(calls(), 40);
  });
});

describe('seconds are summed', () => {
  test('of one video at a time, and a sum has their mean buffer', async () => {
    network.answer(accepted);
    await watch(often, (second) => ({ videoId: second < 4 ? 'v1' : 'v2', bufferLevelSeconds: 4 + (second % 3) }));
    const own = calls()[0]?.samples.filter(({ quadrant }) => quadrant === 'top-left') ?? [];
    expect(own.map(({ video_id, seconds }) => [video_id, seconds])).toEqual([
      ['v1', 4],
      ['v2', 10],
      ['v2', 10],
      ['v2', 6],
    ]);
    expect(own[0]?.buffer_level_seconds).toBe(4.75);
    expectNoneTwice(calls(), perCall);
  });

  test('and make a report of half a minute nine times smaller than its seconds would', async () => {
    network.answer(accepted, accepted);
    await watch(often, restless);
    await watch(often, { videoId: 'v29' });
    const [apart, together] = network.fetch.mock.calls.map(([, { body }]) => String(body).length);
    expect(apart).toBeGreaterThan(9 * (together ?? 0));
  });

  test('apart from those without a picture, which were not played', async () => {
    network.answer(accepted);
    await watch(often, (second) => ({ totalFrames: second % 10 === 3 ? 0 : 25 }));
    const own = calls()[0]?.samples.filter(({ quadrant }) => quadrant === 'top-left') ?? [];
    const played = own.filter(({ total_frames }) => total_frames > 0);
    expect(played.reduce((sum, { seconds = 1 }) => sum + seconds, 0)).toBe(27);
  });
});

describe('where one device in so many is measured', () => {
  const openAt = (draw: number, oneIn: () => number) => {
    stop();
    vi.mocked(Math.random).mockReturnValue(draw);
    reporter = new PerformanceReporter(oneIn);
    stop = reporter.start();
  };

  test('one that was drawn stands for all of them', async () => {
    openAt(0.24, () => 4);
    network.answer(accepted);
    await watch(often);
    expect(calls()[0]?.stands_for).toBe(4);
    expectNoneTwice(calls(), perCall);
  });

  test('one that was not reports stalls and breaks alone, and stands for nobody', async () => {
    openAt(0.25, () => 4);
    network.answer(accepted);
    await watch(2 * often, { droppedFrames: 20, bufferLevelSeconds: 0 });
    expect(network.fetch).not.toHaveBeenCalled();
    await watch(soon, (second) => ({ stalls: second === 1 ? 1 : 0, failures: second === 2 ? 1 : 0 }));
    await watch(soon);
    const [report, ...more] = calls();
    expect(more).toEqual([]);
    expect(report?.stands_for).toBe(0);
    expect(report?.samples).toHaveLength(quadrants.length);
    expect(report?.samples[0]).toMatchObject({ seconds: 2, stall_events: 1, failures: 1 });
  });

  test('and the share changes, each page is drawn once for good', async () => {
    let oneIn = 4;
    openAt(0.3, () => oneIn);
    await watch(often);
    expect(network.fetch).not.toHaveBeenCalled();
    oneIn = 3;
    network.answer(accepted, accepted, accepted);
    await watch(often);
    expect(calls()[0]?.stands_for).toBe(3);
    oneIn = 1;
    await watch(often);
    expect(calls()[1]?.stands_for).toBe(1);
    oneIn = 1_000;
    await watch(often);
    hide(true);
    expect([network.fetch.mock.calls.length, beacons]).toEqual([2, []]);
  });
});

describe('while something is wrong', () => {
  test.each<[string, Partial<QualitySample>]>([
    ['a stall', { stalls: 1 }],
    ['dropped frames', { droppedFrames: 2 }],
    ['a low buffer', { bufferLevelSeconds: 1.9 }],
    ['a video that broke off', { failures: 1 }],
  ])('%s is reported within seconds', async (_, trouble) => {
    network.answer(accepted);
    await watch(soon - 1, trouble);
    expect(network.fetch).not.toHaveBeenCalled();
    await watch(1);
    expect(network.fetch).toHaveBeenCalledTimes(1);
    expectNoneTwice(calls(), soon * quadrants.length);
  });

  test('that lies within the bounds, nothing is hurried', async () => {
    await watch(often - 1, { droppedFrames: 1, totalFrames: 20, bufferLevelSeconds: limits.lowBufferSeconds });
    expect(network.fetch).not.toHaveBeenCalled();
  });

  test('it is reported at once when the last report is some time ago', async () => {
    network.answer(accepted);
    await watch(20);
    await watch(1, { stalls: 1, failures: 1 });
    expect(network.fetch).toHaveBeenCalledTimes(1);
    expect(calls()[0]?.samples.slice(-1)[0]).toMatchObject({ seconds: 1, stall_events: 1, failures: 1 });
  });
});

describe('without a network', () => {
  test('nothing is sent, and all of it is when the server answers again', async () => {
    reached.emit('away');
    await watch(120, restless);
    reached.emit('silent');
    await watch(10, restless);
    expect(network.fetch).not.toHaveBeenCalled();
    network.answer(...Array.from({ length: 9 }, () => accepted));
    reached.emit('answered');
    await watch(1, restless);
    await watch(often);
    const sent = calls();
    expect(sent.every(({ samples }) => samples.length <= perCall)).toBe(true);
    expect(sent).toHaveLength(5);
    expectNoneTwice(sent, (130 + 1 + often) * quadrants.length);
  });

  test('nothing is sent while the browser knows of none', async () => {
    Object.assign(navigator, { onLine: false });
    await watch(60);
    hide(true);
    frame.dispatchEvent(new Event('pagehide'));
    expect(network.fetch).not.toHaveBeenCalled();
    expect(beacons).toEqual([]);
    hide(false);
    Object.assign(navigator, { onLine: true });
    network.answer(accepted, accepted, accepted);
    await watch(1);
    expectNoneTwice(calls(), 61 * quadrants.length);
  });

  test('the last minutes are kept, the oldest go', async () => {
    reached.emit('away');
    await watch(limits.performanceUnsentMinutes * 60 + 200, restless);
    network.answer(...Array.from({ length: 20 }, () => accepted));
    reached.emit('answered');
    await rest(1);
    const keys = keysOf(calls());
    expect(keys).toHaveLength(limits.performanceUnsentMinutes * 60 * quadrants.length);
    expect(keys[0]).toBe(`top-left ${new Date(startedAt + 201_000).toISOString()}`);
  });

  test('what has grown too old while nothing played is not sent', async () => {
    reached.emit('away');
    await watch(10);
    await rest(limits.performanceUnsentMinutes * 60 + 1);
    reached.emit('answered');
    await rest(often);
    hide(true);
    expect(network.fetch).not.toHaveBeenCalled();
    expect(beacons).toEqual([]);
  });

  test('a clock that was set back keeps no more, and one that was set on breaks nothing', async () => {
    reached.emit('away');
    await watch(limits.performanceUnsentMinutes * 60, restless);
    vi.setSystemTime(startedAt - 40 * 365 * 24 * 3_600_000);
    await watch(100, restless);
    network.answer(...Array.from({ length: 30 }, () => accepted));
    reached.emit('answered');
    await rest(1);
    expect(keysOf(calls())).toHaveLength(limits.performanceUnsentMinutes * 60 * quadrants.length);
    network.fetch.mockClear();
    vi.setSystemTime(startedAt + 40 * 365 * 24 * 3_600_000);
    await watch(often);
    expectNoneTwice(calls(), perCall);
  });
});

describe('an answer', () => {
  test.each([400, 401, 403, 404, 413, 422])('of %i ends its samples', async (status) => {
    network.answer({ status, json: { error: 'refused' } }, accepted);
    await watch(often);
    await watch(often);
    expect(network.fetch).toHaveBeenCalledTimes(2);
    expect(keysOf(calls().slice(1))[0]).toBe(`top-left ${new Date(startedAt + 31_000).toISOString()}`);
  });

  test.each([
    ['429', { status: 429, json: {} }],
    ['503', { status: 503, json: {} }],
    ['500', { status: 500, json: {} }],
    ['a captive portal', { status: 200, text: '<html>Welcome</html>' }],
    ['no network', 'away' as const],
  ])('of %s lets them wait, longer each time', async (_, reply) => {
    network.answer(reply, reply, accepted);
    await watch(often);
    expect(network.fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_249);
    expect(network.fetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(network.fetch).toHaveBeenCalledTimes(2);
    await watch(2, { stalls: 1 });
    expect(network.fetch, 'trouble does not shorten it').toHaveBeenCalledTimes(2);
    await watch(1);
    expect(network.fetch).toHaveBeenCalledTimes(3);
    const [first, second, third] = calls();
    expect(second?.samples, 'sums that were sent stay as they are').toEqual(first?.samples);
    expect(third?.samples.slice(0, first?.samples.length)).toEqual(first?.samples);
    expectNoneTwice(calls().slice(2), perCall + 2 * quadrants.length);
  });

  test('that never comes holds nothing up for ever', async () => {
    network.answer('silent', accepted, accepted);
    await watch(often);
    await watch(limits.callTimeoutSeconds);
    expect(network.fetch).toHaveBeenCalledTimes(1);
    await watch(2);
    expect(network.fetch).toHaveBeenCalledTimes(2);
    expect(calls()[1]?.samples.slice(0, 12)).toEqual(calls()[0]?.samples);
  });

  test('of 401 asks nobody to sign in, and no token is sent or refreshed', async () => {
    storeTokens({ access_token: 'stale', refresh_token: 'old' });
    const refused = vi.fn();
    const outcome = vi.fn();
    const stopListening = [accessRefused.listen(refused), reached.listen(outcome)];
    network.answer({ status: 401, json: { error: 'token_expired' } }, 'away');
    await watch(2 * often);
    expect(network.fetch.mock.calls.map(([address]) => address)).toEqual(
      Array(2).fill('/api/optimization/performance/all'),
    );
    expect(network.fetch.mock.calls[0]?.[1].headers).not.toHaveProperty('Authorization');
    expect(refused).not.toHaveBeenCalled();
    expect(outcome, 'a report that a blocker refuses must not look like a lost network').not.toHaveBeenCalled();
    for (const end of stopListening) end();
    clearTokens();
  });
});

describe('when the page is left', () => {
  test('what is unsent goes by a beacon, once', async () => {
    await watch(12);
    hide(true);
    frame.dispatchEvent(new Event('pagehide'));
    expect(beacons.map(({ type }) => type)).toEqual(['application/json']);
    expectNoneTwice(await reports(), 48);
    hide(false);
    network.answer(accepted);
    await watch(often);
    expectNoneTwice(await reports(), 48 + perCall);
  });

  test('it goes in as many beacons as needed, none above the limit of a call', async () => {
    reached.emit('away');
    await watch(65, restless);
    reached.emit('answered');
    frame.dispatchEvent(new Event('pagehide'));
    expect(beacons).toHaveLength(3);
    expectNoneTwice(await reports(), 260);
  });

  test('what is on its way already is not sent by a beacon as well', async () => {
    let answer = (_: Response) => {};
    network.fetch.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    await watch(often);
    await watch(3);
    hide(true);
    expectNoneTwice(await reports(), perCall + 12);
    answer(new Response('{"accepted":120}', { status: 202 }));
    hide(false);
    await rest(2 * often);
    expectNoneTwice(await reports(), perCall + 12);
  });

  test('what a browser does not take is kept for a return', async () => {
    let taken = 0;
    takesBeacons = () => {
      taken += 1;
      return taken === 1;
    };
    reached.emit('away');
    await watch(40, restless);
    reached.emit('answered');
    network.answer('away', accepted);
    hide(true);
    await answersArrive();
    expect(network.fetch, 'a call in its place').toHaveBeenCalledTimes(1);
    hide(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(network.fetch).toHaveBeenCalledTimes(2);
    expectNoneTwice([...(await beaconed()), ...calls().slice(1)], 160);
  });

  test.each([
    [
      'throws at JSON',
      () => {
        throw new DOMException('no', 'SecurityError');
      },
    ],
    ['has no beacons', undefined],
  ])('a browser that %s sends a call that outlives the page', async (_, sendBeacon) => {
    Object.assign(navigator, { sendBeacon });
    network.answer(accepted);
    await watch(12);
    hide(true);
    frame.dispatchEvent(new Event('pagehide'));
    await vi.advanceTimersByTimeAsync(0);
    expect(network.fetch.mock.calls[0]?.[1]).toMatchObject({ keepalive: true });
    expectNoneTwice(await reports(), 48);
  });
});
