import type { Snapshot } from 'valtio/vanilla';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { Resource } from '#app/ui/resource.ts';
import { listPerformanceAlerts, readBandwidth, readPerformance } from '#contract/endpoints.ts';
import type { Bandwidth, Performance, PerformanceAlert } from '#contract/entities/performance.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import type { Alarm, TimeWindow } from '#contract/rules/health.ts';
import { findAlarms, minutesOf, timeWindows } from '#contract/rules/health.ts';
import { now } from '#device/timers.ts';

export type QuadrantChoice = Quadrant | 'all';

/** The replies of one refresh. */
export interface Readings {
  /** The window of these figures. It differs from the chosen one until the next refresh. */
  window: TimeWindow;
  /** The four quadrants in reading order. */
  quadrants: Performance[];
  bandwidth: Bandwidth;
  /** Thresholds that are crossed now. */
  alarms: Alarm[];
  /** The time of the refresh, in epoch milliseconds. */
  readAt: number;
}

/** The readings as components receive them. */
export type ShownReadings = Snapshot<Readings>;

interface Dashboard {
  window: TimeWindow;
  quadrant: QuadrantChoice;
  /**
   * The server's alerts of the last 24 hours, newest first. An alert stays when its threshold is no
   * longer crossed.
   */
  alerts: PerformanceAlert[];
  /**
   * The alerts added by the latest refresh that brought new ones. Those of the first refresh do not
   * count.
   */
  newest: PerformanceAlert[];
}

const startWindow = timeWindows.find((window) => minutesOf(window) === limits.dashboardWindowMinutes) ?? timeWindows[0];

/** The chosen window and quadrant, and the alerts. */
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

/** Reads all quadrants even while one is chosen, because score and alerts cover the whole site. */
async function loadReadings(signal: AbortSignal): Promise<Readings> {
  const query = { duration: dashboard.window };
  const [bandwidth, { alerts }, ...replies] = await Promise.all([
    call(readBandwidth, { query: { ...query, scope: 'site' }, signal }),
    call(listPerformanceAlerts, { signal }),
    ...quadrants.map((quadrant) => call(readPerformance, { params: { quadrant }, query, signal })),
  ]);
  const metrics = byQuadrant((quadrant) => replies.find(({ id }) => id === quadrant)?.metrics ?? null);
  const alarms = findAlarms(metrics, bandwidth.current_bandwidth_mbps);
  // A newer choice aborts this refresh: its figures are not shown, so its alerts are not announced.
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
