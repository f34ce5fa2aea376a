import type { Snapshot } from 'valtio/vanilla';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { now } from '#app/platform/timers.ts';
import { byQuadrant } from '#app/playback/by-quadrant.ts';
import { Resource } from '#app/ui/resource.ts';
import { listPerformanceAlerts, readBandwidth, readPerformance } from '#contract/endpoints.ts';
import type { Bandwidth, Performance, PerformanceAlert } from '#contract/entities/performance.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Alarm, TimeWindow } from '#contract/rules/health.ts';
import { findAlarms, minutesOf, timeWindows } from '#contract/rules/health.ts';

export type QuadrantChoice = Quadrant | 'all';

/** The replies of one refresh. */
export interface Readings {
  /** The window that they are of: an older one than is chosen, until the next refresh. */
  window: TimeWindow;
  /** In reading order. */
  quadrants: Performance[];
  bandwidth: Bandwidth;
  /** Thresholds that are crossed now. */
  alarms: Alarm[];
  /** Epoch milliseconds. */
  readAt: number;
}

/** As components see them. */
export type ShownReadings = Snapshot<Readings>;

interface Dashboard {
  window: TimeWindow;
  quadrant: QuadrantChoice;
  /** The server's of the last 24 hours, the newest first. One stays when its threshold is no longer crossed. */
  alerts: PerformanceAlert[];
  /** Those that the latest refresh with new ones has added; none of those that the first one found. */
  newest: PerformanceAlert[];
}

const startWindow = timeWindows.find((window) => minutesOf(window) === limits.dashboardWindowMinutes) ?? timeWindows[0];

/** What is chosen, and what has happened. */
export const dashboard = proxy<Dashboard>({ window: startWindow, quadrant: 'all', alerts: [], newest: [] });

/** Alerts of an earlier refresh, by `keyOf`; null before the first one. */
let known: ReadonlySet<string> | null = null;

export const readings = new Resource<Readings>({
  load: loadReadings,
  toSentence: failures.loadPerformance,
  refreshMs: () => limits.dashboardRefreshMs,
});

export function chooseWindow(window: TimeWindow): void {
  if (window === dashboard.window) return;
  dashboard.window = window;
  void readings.reload();
}

export function chooseQuadrant(quadrant: QuadrantChoice): void {
  if (quadrant === dashboard.quadrant) return;
  dashboard.quadrant = quadrant;
  void readings.reload();
}

export function resetDashboard(): void {
  known = null;
  Object.assign(dashboard, { window: startWindow, quadrant: 'all', alerts: [], newest: [] });
}

/** All quadrants, also while one is chosen: the score and the alerts are those of the site. */
async function loadReadings(signal: AbortSignal): Promise<Readings> {
  const query = { duration: dashboard.window };
  const [bandwidth, { alerts }, ...replies] = await Promise.all([
    call(readBandwidth, { query: { ...query, scope: 'site' }, signal }),
    call(listPerformanceAlerts, { signal }),
    ...quadrants.map((quadrant) => call(readPerformance, { params: { quadrant }, query, signal })),
  ]);
  const metrics = byQuadrant((quadrant) => replies.find(({ id }) => id === quadrant)?.metrics ?? null);
  const alarms = findAlarms(metrics, bandwidth.current_bandwidth_mbps);
  // What a later choice has overtaken is not shown, so it is no refresh.
  if (!signal.aborted) showAlerts(alerts);
  return { window: query.duration, quadrants: replies, bandwidth, alarms, readAt: now() };
}

function showAlerts(alerts: PerformanceAlert[]): void {
  const before = known;
  known = new Set(alerts.map(keyOf));
  dashboard.alerts = alerts;
  const added = before === null ? [] : alerts.filter((alert) => !before.has(keyOf(alert)));
  if (added.length > 0) dashboard.newest = added;
}

function keyOf({ id, timestamp }: PerformanceAlert): string {
  return `${id} ${timestamp}`;
}

/** Where the charts of a refresh begin and end, in epoch milliseconds, and what they join. */
export interface SeriesWindow {
  from: number;
  to: number;
  /** Points that are farther apart have steps between them in which nothing was measured. */
  maxGapMs: number;
}

/** Up to 15 minutes the server's steps have 10 seconds; of a longer window each is at most a 60th. */
const minGapMs = 20_000;
const stepsInWindow = 40;

/**
 * The window ends now, by the server's clock, which wrote the points: this device's may be wrong by more than a window.
 */
export function seriesWindowOf({ window, bandwidth, quadrants, readAt }: ShownReadings): SeriesWindow {
  const windowMs = minutesOf(window) * 60_000;
  const maxGapMs = Math.max(minGapMs, windowMs / stepsInWindow);
  const points = [bandwidth.history, ...quadrants.map(({ series }) => series)].flatMap((all) => all.map(timeOf));
  const earliest = Math.max(...points);
  const latest = Math.min(...points) + windowMs + maxGapMs;
  const to = Math.max(earliest, Math.min(latest, readAt));
  return { from: to - windowMs, to, maxGapMs };
}

function timeOf({ timestamp }: { readonly timestamp: string }): number {
  return Date.parse(timestamp);
}
