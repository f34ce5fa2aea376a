import type { PerformanceAlert } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Alarm } from '#contract/rules/health.ts';
import { findAlarms, minutesOf, timeWindows } from '#contract/rules/health.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { SentBytes } from '../../http/connections/sent-bytes.ts';
import type { Log } from '../../log.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import { alertRepository } from './alert-repository.ts';
import { readCurrentKbps } from './bandwidth.ts';
import type { PlaybackHealth } from './playback-health.ts';
import type { Venues } from './venues.ts';

interface AlertWatchDeps {
  database: Database;
  sweepTime: Pick<SweepTime, 'read'>;
  clock: Clock;
  log: Log;
  sentBytes: SentBytes;
  node: string;
  playbackHealth: Pick<PlaybackHealth, 'read' | 'presentViewers'>;
  venues: Pick<Venues, 'findAlarms'>;
}

const checkMs = 10_000;
/** An alarm that any process saw this recently continues. */
const goesOnMs = 3 * checkMs;
const keptMs = limits.performanceHours * 3_600_000;
/** The window that the dashboard opens with. */
const watched = timeWindows.find((window) => minutesOf(window) === limits.dashboardWindowMinutes) ?? timeWindows[0];

/**
 * Finds thresholds that are crossed, whether or not the dashboard is open, and keeps the alerts of
 * the last 24 hours.
 */
export class AlertWatch {
  private readonly deps: AlertWatchDeps;
  private timer: Repetition | undefined;
  private running: Promise<void> | undefined;

  constructor(deps: AlertWatchDeps) {
    this.deps = deps;
  }

  start(): void {
    this.timer ??= repeat(
      () => this.check(),
      checkMs,
      (err) => this.warn(err),
    );
  }

  stop(): void {
    this.timer?.stop();
  }

  /** Runs one check at a time: two parallel ones would store the same alert twice. */
  check(): Promise<void> {
    this.running ??= this.findAndStore().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /**
   * Lists the alerts of the last 24 hours, newest first, at most as many as the dashboard shows,
   * after a check of this moment.
   */
  async list(): Promise<PerformanceAlert[]> {
    const { database, clock } = this.deps;
    // The stored alerts are listed even when new ones cannot be stored.
    await this.check().catch((err: unknown) => this.warn(err));
    return alertRepository.list(database.lists, clock.now() - keptMs, limits.alertsShown);
  }

  /**
   * Reads no statistics while this process has no viewers: the process that serves them does the
   * check.
   */
  private async findAndStore(): Promise<void> {
    const { database, sweepTime, clock, sentBytes, playbackHealth, venues } = this.deps;
    const isWatched = playbackHealth.presentViewers().length > 0 || sentBytes.measured(checkMs).length > 0;
    const alarms = [...(isWatched ? await this.findNow() : []), ...(await venues.findAlarms())];
    if (alarms.length === 0) return;
    const now = clock.now();
    const sweptUntil = await sweepTime.read();
    await database.write(async (transaction) => {
      await alertRepository.store(transaction, alarms, { now, goesOnFrom: now - goesOnMs, stepMs: checkMs });
      await alertRepository.deleteOld(transaction, sweptUntil - keptMs);
    });
  }

  private async findNow(): Promise<Alarm[]> {
    const { database, sentBytes, node, playbackHealth } = this.deps;
    const kbps = await readCurrentKbps({ meter: sentBytes, reader: database.lists, node });
    const found: Parameters<typeof findAlarms>[0] = {};
    for (const quadrant of quadrants) found[quadrant] = (await playbackHealth.read(quadrant, watched)).metrics;
    return findAlarms(found, kbps === null ? null : kbps / 1_000);
  }

  private warn(err: unknown): void {
    this.deps.log.warn({ err }, 'alerts about playback cannot be stored; it is tried again');
  }
}
