import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PerformanceScreen } from '#app/features/performance/performance-screen.tsx';
import { readings, resetDashboard } from '#app/features/performance/performance-store.ts';
import { connection } from '#app/state/connection.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Alarm } from '#contract/rules/health.ts';
import { findAlarms } from '#contract/rules/health.ts';
import { button, draw, press, settle } from '../draw.tsx';

const well = {
  averageDroppedFrameRate: 0.4,
  averageBufferLevel: 8.2,
  stallEvents: 0,
  qualityAdjustments: 1,
  samples: 9,
};
const bad = {
  averageDroppedFrameRate: 6.2,
  averageBufferLevel: 1.4,
  stallEvents: 4,
  qualityAdjustments: 7,
  samples: 9,
};

let metrics: Record<string, typeof well | null>;
let mbps: number | null;
/** Seconds since each point of the bandwidth's history. */
let historyAgo: number[];
let alerts: Alarm[];
/** In place of answers about performance. */
let failure: (() => Response) | null;
let asked: string[];

beforeEach(() => {
  metrics = { 'top-left': well, 'top-right': well, 'bottom-left': bad, 'bottom-right': null };
  mbps = 4.26;
  historyAgo = [30, 20, 10];
  alerts = [];
  failure = null;
  asked = [];
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    return failure ? failure() : replyTo(new URL(address, 'http://localhost'));
  });
});

afterEach(async () => {
  delete document.documentElement.dataset.form;
  await settle(() => {
    resetDashboard();
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

const instant = (secondsAgo: number) => new Date(Date.now() - secondsAgo * 1_000).toISOString();

function replyTo({ pathname, searchParams }: URL): Response {
  const id = pathname.split('/').pop() ?? '';
  if (id === 'viewers') return Response.json({ total: 0, viewers: [] });
  if (id === 'videos') return Response.json({ videos: [] });
  if (id === 'venues') return Response.json({ venues: [] });
  if (id === 'alerts')
    return Response.json({ alerts: alerts.map((alert) => ({ ...alert, timestamp: '2026-11-22T14:32:05.000Z' })) });
  if (id === 'bandwidth') {
    const history = mbps === null ? [] : historyAgo.map((ago) => ({ timestamp: instant(ago), mbps }));
    return Response.json({ current_bandwidth_mbps: mbps, current_bandwidth_bps: 0, history });
  }
  const own = metrics[id] ?? null;
  const point = { droppedFrameRate: 1, bufferLevel: 8, stallEvents: 0, qualityAdjustments: 0, viewers: 1 };
  const series = own ? [20, 10].map((ago) => ({ ...point, timestamp: instant(ago) })) : [];
  return Response.json({ id, duration: searchParams.get('duration'), metrics: own, series });
}

const refused = () => Response.json({ error: 'internal', message: 'The database is gone.' }, { status: 500 });

function noNetwork(): Response {
  throw new TypeError('Failed to fetch');
}

const appears = (words: string) =>
  vi.waitFor(async () => {
    await settle();
    expect(document.body.textContent).toContain(words);
  });

async function drawDashboard(words: string): Promise<HTMLElement> {
  const screen = await draw(<PerformanceScreen title="Performance Dashboard" notice={null} />);
  await appears(words);
  return screen;
}

const refresh = () => act(() => readings.reload());

const card = (title: string) =>
  [...document.querySelectorAll('section')].find((one) => one.querySelector('h2')?.textContent === title);

const textOf = (title: string) => card(title)?.textContent ?? '';

const live = () => document.querySelector('h1 + [role="status"]')?.textContent;

const segments = () => [...document.querySelectorAll<HTMLButtonElement>('[role="radio"]')];

test('before the first figures there is a place for them, and nothing is said to be live', async () => {
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  vi.stubGlobal('fetch', async (address: string) => {
    await isAnswered;
    return replyTo(new URL(address, 'http://localhost'));
  });
  const screen = await draw(<PerformanceScreen title="Performance Dashboard" notice={null} />);
  expect(screen.textContent).toContain('Loading...');
  expect(live()).toBe('');
  answer();
  await appears('System Health');
  expect(live()).toBe('Live');
});

test('health, bandwidth and quadrants have their figures, and what crosses a threshold has more than its colour', async () => {
  const screen = await drawDashboard('System Health');
  for (const words of ['Good', 'Poor', 'Fair', 'Excellent', 'Quadrants, average87 of 100', 'Bandwidth43 of 100'])
    expect(textOf('System Health')).toContain(words);
  expect(textOf('Network Bandwidth')).toContain('4.2 Mbps');
  expect(textOf('Network Bandwidth')).toContain('Network bandwidth, the last 5 minutes');
  expect(textOf('Network Bandwidth')).toContain('Alert below 1 Mbps');
  expect(textOf('Top left')).toContain('Dropped frames0.4%Buffer level8.2 sStall events0Quality adjustments1');
  expect(textOf('Top left')).toContain('Buffer level, dashed line at 2\u00a0s');
  expect(textOf('Bottom left')).toContain(
    'Dropped framesOut of range: 6.2%Buffer levelOut of range: 1.4 sStall eventsOut of range: 4Quality adjustments7',
  );
  expect(textOf('Bottom right')).toContain('No performance data available');
  expect(screen.querySelectorAll('h2')).toHaveLength(10);
});

test('alerts are listed with severity, quadrant and time, and announced once', async () => {
  alerts = findAlarms({ 'bottom-left': bad }, 0.8);
  await drawDashboard('Performance Alerts');
  const rows = [...(card('Performance Alerts')?.querySelectorAll('li') ?? [])].map(({ textContent }) => textContent);
  expect(rows).toHaveLength(4);
  expect(rows[0]).toMatch(/^Low bandwidth0\.8 Mbps, below 1 MbpsAll quadrantsmedium\d\d:\d\d:\d\d$/);
  expect(rows[1]).toMatch(/^High dropped frame rate6\.2% of frames dropped, above 5%Bottom lefthigh\d\d:\d\d:\d\d$/);
  const announced = () => document.querySelector('p.visually-hidden[role="status"]')?.textContent;
  expect(announced()).toBe('');
  alerts = [...findAlarms({ 'top-left': { ...well, stallEvents: 5 } }, null), ...alerts];
  await refresh();
  expect(announced()).toBe('Frequent stalls, Top left: 5 stall events per viewing session, above 3.');
});

test('one who watches well on a good line is excellent', async () => {
  metrics = { 'top-left': well };
  mbps = 12;
  await drawDashboard('System Health');
  expect(textOf('System Health')).toContain('Excellent');
  expect(textOf('System Health')).toContain('Bandwidth100 of 100');
});

test('a site that nobody has watched has no score and no chart, and says why', async () => {
  metrics = {};
  mbps = null;
  await drawDashboard('No score: no playback was measured in the last 5 minutes.');
  expect(textOf('System Health')).toContain('Quadrants, averageNo data');
  expect(textOf('System Health')).toContain('BandwidthNobody is watching');
  expect(textOf('Network Bandwidth')).toContain('No video was sent in the last 5 minutes.');
  for (const title of ['Top left', 'Bottom right']) expect(textOf(title)).toContain('No performance data available');
  expect(textOf('Performance Alerts')).toContain('No alerts in the last 24 hours.');
});

test('a site whose first video was sent just now has its bandwidth, and nothing says that no video was sent', async () => {
  historyAgo = [];
  await drawDashboard('System Health');
  expect(textOf('Network Bandwidth')).toContain('4.2 Mbps');
  expect(textOf('Network Bandwidth')).toContain('Network bandwidth, the last 5 minutes: no data.');
  expect(textOf('Network Bandwidth')).not.toContain('No video was sent');
});

test('a failure has its sentence and a way to try again', async () => {
  failure = refused;
  await drawDashboard('Failed to load performance data: The database is gone.');
  expect(live()).toBe('Not live');
  expect(card('System Health')).toBeUndefined();
  failure = null;
  await press('Retry');
  await appears('System Health');
  expect(document.body.textContent).not.toContain('The database is gone.');
});

test('a refresh that fails leaves the figures, and says of when they are', async () => {
  await drawDashboard('System Health');
  failure = refused;
  await refresh();
  expect(textOf('Network Bandwidth')).toContain('4.2 Mbps');
  expect(document.body.textContent).toContain('Failed to load performance data: The database is gone.');
  expect(live()).toMatch(/^Not live, as of \d\d:\d\d:\d\d$/);
  failure = null;
  await refresh();
  expect(live()).toBe('Live');
});

test('without a network it waits, or shows what it has', async () => {
  failure = noNetwork;
  await drawDashboard('Waiting for network');
  expect(live()).toBe('Offline');
  failure = null;
  await refresh();
  failure = noNetwork;
  await refresh();
  expect(live()).toMatch(/^Offline, as of /);
  expect(textOf('Network Bandwidth')).toContain('4.2 Mbps');
});

test('one quadrant stands alone, with its series', async () => {
  await drawDashboard('System Health');
  const select = document.querySelector('select') as HTMLSelectElement;
  expect([...select.options].map(({ text }) => text)).toEqual([
    'All quadrants',
    'Top left',
    'Top right',
    'Bottom left',
    'Bottom right',
  ]);
  await settle(() => {
    select.value = 'bottom-left';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
  expect(card('Top left')).toBeUndefined();
  expect([...(card('Bottom left')?.querySelectorAll('h3') ?? [])].map(({ textContent }) => textContent)).toEqual([
    'Dropped frames',
    'Buffer level',
    'Stall events',
  ]);
  for (const words of ['Alert above 5%', 'Alert below 2 s', 'Alert above 3'])
    expect(textOf('Bottom left')).toContain(words);
});

test('arrows choose the window, round and round, and one stop of Tab leads to it', async () => {
  await drawDashboard('System Health');
  expect(segments().map(({ textContent, tabIndex }) => [textContent, tabIndex])).toEqual([
    ['1m', -1],
    ['5m', 0],
    ['15m', -1],
    ['1h', -1],
    ['6h', -1],
    ['24h', -1],
  ]);
  const arrow = (key: string) =>
    settle(() => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    });
  const chosen = () => document.querySelector('[aria-checked="true"]')?.textContent;
  segments()[1]?.focus();
  await arrow('ArrowLeft');
  await arrow('ArrowUp');
  expect([chosen(), document.activeElement?.textContent]).toEqual(['24h', '24h']);
  await appears('the last 24 hours');
  await arrow('ArrowRight');
  expect(chosen()).toBe('1m');
  expect(asked.some((address) => address.includes('bandwidth?duration=24h&scope=site'))).toBe(true);
});

test('says that figures are estimates where one device in so many is measured', async () => {
  siteConfig.measuredOneIn = 12;
  await drawDashboard('System Health');
  expect(live()).toBe('Live, measured at one in 12');
  await settle(() => resetSiteConfig());
  expect(live()).toBe('Live');
});

test('on a TV every segment and every card is reached, and OK chooses', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawDashboard('System Health');
  expect(segments().every(({ tabIndex }) => tabIndex === 0)).toBe(true);
  for (const title of ['System Health', 'Network Bandwidth', 'Top left', 'Performance Alerts'])
    expect(card(title)?.tabIndex).toBe(0);
  await settle(() => segments()[3]?.click());
  await appears('the last hour');
  expect(button('All quadrants').getAttribute('aria-haspopup')).toBe('dialog');
});

test('the marker stands where the score is in its part of the scale', async () => {
  metrics = Object.fromEntries(quadrants.map((quadrant) => [quadrant, { ...well, averageDroppedFrameRate: 15 }]));
  mbps = null;
  await drawDashboard('System Health');
  expect(textOf('System Health')).toContain('70 of 100, Good');
  const marker = document.querySelector<HTMLElement>('[style*="--at"]');
  const at = (70 - limits.healthGoodFrom) / (limits.healthExcellentFrom - limits.healthGoodFrom);
  expect(marker?.style.getPropertyValue('--at')).toBe(`${at * 100}%`);
});
