import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  chooseQuadrant,
  chooseWindow,
  dashboard,
  readings,
  resetDashboard,
} from '#app/features/performance/performance-store.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';

const page = Object.assign(new EventTarget(), { hidden: false });
const well = { averageDroppedFrameRate: 0, averageBufferLevel: 8, stallEvents: 0, qualityAdjustments: 0, samples: 9 };

let asked: string[];
let metrics: Record<string, Partial<typeof well> | null>;
let mbps: number | null;
let alerts: object[];
/** Called in place of an answer. */
let answer: ((address: string) => Promise<Response>) | null;
let close = () => {};

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-22T14:32:05Z') });
  page.hidden = false;
  vi.stubGlobal('document', page);
  asked = [];
  metrics = {};
  mbps = 42.6;
  alerts = [];
  answer = null;
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    return answer ? answer(address) : replyTo(address);
  });
});

afterEach(() => {
  close();
  resetDashboard();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function replyTo(address: string): Response {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  const id = pathname.split('/').pop() ?? '';
  if (id === 'bandwidth') return Response.json({ current_bandwidth_mbps: mbps, current_bandwidth_bps: 0, history: [] });
  if (id === 'alerts') return Response.json({ alerts });
  const own = metrics[id];
  return Response.json({
    id,
    duration: searchParams.get('duration'),
    metrics: own === null ? null : { ...well, ...own },
    series: [],
  });
}

async function open(): Promise<void> {
  close = readings.open();
  await vi.advanceTimersByTimeAsync(0);
}

const refresh = () => vi.advanceTimersByTimeAsync(limits.dashboardRefreshMs);

const alertIds = () => dashboard.alerts.map(({ id }) => id);

describe('a refresh', () => {
  test('asks for the four quadrants and for the bandwidth of the site, of the last five minutes', async () => {
    await open();
    expect(asked).toEqual([
      '/api/optimization/bandwidth?duration=5m&scope=site',
      '/api/admin/performance/alerts',
      ...quadrants.map((quadrant) => `/api/optimization/performance/${quadrant}?duration=5m`),
    ]);
    expect(readings.state.value).toMatchObject({
      window: '5m',
      bandwidth: { current_bandwidth_mbps: 42.6 },
      quadrants: quadrants.map((id) => ({ id, metrics: well })),
      alarms: [],
      readAt: Date.parse('2026-11-22T14:32:05Z'),
    });
  });

  test('comes every five seconds, and not in a hidden tab', async () => {
    await open();
    await vi.advanceTimersByTimeAsync(limits.dashboardRefreshMs - 1);
    expect(asked).toHaveLength(6);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(12);
    page.hidden = true;
    page.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(10 * limits.dashboardRefreshMs);
    expect(asked).toHaveLength(12);
  });

  test('comes at once with another window, and with another quadrant, of which all four are asked for', async () => {
    await open();
    chooseWindow('1h');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.slice(6).filter((address) => address.includes('duration=1h')).length === 5).toBe(true);
    expect(readings.state.value?.window).toBe('1h');
    chooseQuadrant('top-left');
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(18);
    chooseQuadrant('top-left');
    chooseWindow('1h');
    expect(asked).toHaveLength(18);
  });

  test('of an older choice never replaces a newer one, nor raises alerts', async () => {
    const late: (() => void)[] = [];
    metrics = { 'top-left': { stallEvents: 9 } };
    answer = (address) => new Promise((resolve) => late.push(() => resolve(replyTo(address))));
    close = readings.open();
    const overtaken = late.splice(0);
    answer = null;
    metrics = {};
    chooseWindow('24h');
    await vi.advanceTimersByTimeAsync(0);
    metrics = { 'top-left': { stallEvents: 9 } };
    for (const arrive of overtaken) arrive();
    await vi.advanceTimersByTimeAsync(0);
    expect([readings.state.value?.window, readings.state.value?.alarms, alertIds()]).toEqual(['24h', [], []]);
  });

  test('that fails keeps what is shown, says so, and is tried again', async () => {
    await open();
    answer = async () => Response.json({ error: 'internal', message: 'The database is gone.' }, { status: 500 });
    await refresh();
    expect(readings.state.failure).toBe('Failed to load performance data: The database is gone.');
    expect(readings.state.value?.bandwidth.current_bandwidth_mbps).toBe(42.6);
    answer = null;
    mbps = 7;
    await refresh();
    expect([readings.state.failure, readings.state.value?.bandwidth.current_bandwidth_mbps]).toEqual([null, 7]);
  });

  test('without a network keeps what is shown, too', async () => {
    await open();
    answer = () => Promise.reject(new TypeError('Failed to fetch'));
    await refresh();
    expect(readings.state).toMatchObject({ isOffline: true, failure: null, value: { window: '5m' } });
  });
});

describe('alerts', () => {
  const alert = (id: string, second: number) => ({ id, timestamp: `2026-11-22T14:32:${second}.000Z` });
  const newest = () => dashboard.newest.map(({ id }) => id);

  test('are those that the server has, whoever looked when they were raised', async () => {
    alerts = [alert('bandwidth', 10), alert('stalls:top-left', 0)];
    await open();
    expect(dashboard.alerts).toEqual(alerts);
    alerts = [alert('bandwidth', 10)];
    await refresh();
    expect(dashboard.alerts).toEqual(alerts);
  });

  test('that come while the dashboard is open are told apart, until others do', async () => {
    alerts = [alert('bandwidth', 10)];
    await open();
    expect(newest()).toEqual([]);
    alerts = [alert('stalls:top-right', 20), ...alerts];
    await refresh();
    expect(newest()).toEqual(['stalls:top-right']);
    await refresh();
    expect(newest()).toEqual(['stalls:top-right']);
    alerts = [alert('bandwidth', 30), ...alerts];
    await refresh();
    expect(newest()).toEqual(['bandwidth']);
  });

  test('are none of what is crossed in another window than the server watches: that is marked alone', async () => {
    mbps = 0.8;
    metrics = { 'bottom-left': { averageDroppedFrameRate: 6.2, averageBufferLevel: 1.4, stallEvents: 4 } };
    await open();
    expect(readings.state.value?.alarms.map(({ id }) => id)).toEqual([
      'bandwidth',
      'dropped-frames:bottom-left',
      'buffer:bottom-left',
      'stalls:bottom-left',
    ]);
    expect(alertIds()).toEqual([]);
  });

  test('and the choice are remembered while another view is open', async () => {
    alerts = [alert('bandwidth', 10)];
    await open();
    chooseWindow('6h');
    close();
    expect([dashboard.window, alertIds()]).toEqual(['6h', ['bandwidth']]);
  });
});
