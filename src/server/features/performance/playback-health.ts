import type { Performance, TroubledVideos } from '#contract/entities/site/performance.ts';
import type { TimeWindow } from '#contract/rules/time-window.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { Ids } from '../../ids.ts';
import type { Log } from '../../log.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { LastMinute } from './read/last-minute.ts';
import { sumLastMinute } from './read/last-minute.ts';
import { readPerformance } from './read/read-performance.ts';
import { Recorder } from './record/recorder.ts';
import type { Sample } from './record/sample.ts';
import type { Reporter } from './record/viewer.ts';
import type { PresentViewer } from './record/viewers.ts';
import { playbackPart } from './stats/playback-part.ts';
import type { QuadrantOrAll } from './stats/playback-sums.ts';
import type { StatsPart } from './stats/stats-writer.ts';
import { StatsWriter } from './stats/stats-writer.ts';
import { listTroubledVideos } from './videos/list-troubled-videos.ts';
import { VideoPart } from './videos/video-part.ts';

export interface PlaybackHealthDeps {
  database: Database;
  sweepTime: SweepTime;
  clock: Clock;
  ids: Pick<Ids, 'short'>;
  log: Log;
  hasBytes?(viewer: string): boolean;
  /** Told when samples say that videos stall. */
  onStalls?(): void;
}

const writeEveryMs = 10_000;

/** How videos play, as players report it: counted in memory, written every ten seconds, read over all processes. */
export class PlaybackHealth {
  private readonly deps: PlaybackHealthDeps;
  private readonly recorder: Recorder;
  private readonly writer: StatsWriter;
  private timer: Repetition | undefined;

  /** @param parts are written together with what it counts itself */
  constructor(deps: PlaybackHealthDeps, parts: readonly StatsPart[] = []) {
    this.deps = deps;
    this.recorder = new Recorder({
      clock: deps.clock,
      nameNode: () => deps.ids.short(),
      hasBytes: (viewer) => deps.hasBytes?.(viewer) === true,
    });
    const { playback, videos } = this.recorder;
    this.writer = new StatsWriter(deps, [playbackPart(playback), new VideoPart(videos), ...parts]);
  }

  start(): void {
    this.timer ??= repeat(
      () => this.write(),
      writeEveryMs,
      (err) => this.deps.log.warn({ err }, 'how videos play cannot be written; it is tried again'),
    );
  }

  /** What is left is written, if it can be. */
  async stop(): Promise<void> {
    this.timer?.stop();
    try {
      while (await this.write());
    } catch (err) {
      this.deps.log.warn({ err }, 'how videos played last could not be written');
    }
  }

  /** Counts samples that have not come before, of viewers that there is room for. */
  record(reporter: Reporter, samples: readonly Sample[]): void {
    if (this.recorder.record(reporter, samples)) this.deps.onStalls?.();
  }

  /**
   * Writes a piece of what was counted, and deletes a piece of what is old.
   * @returns whether there was anything to be written
   * @throws when the database cannot be written to; nothing is lost then
   */
  write(): Promise<boolean> {
    this.recorder.forgetViewers();
    return this.writer.write(this.deps.clock.now());
  }

  read(quadrant: QuadrantOrAll, duration: TimeWindow): Promise<Performance> {
    const { database, clock } = this.deps;
    return readPerformance(database.reader, this.recorder.playback, { quadrant, duration, now: clock.now() });
  }

  listTroubledVideos(duration: TimeWindow): Promise<TroubledVideos> {
    const { database, clock } = this.deps;
    return listTroubledVideos(database.reader, this.recorder.videos, { duration, now: clock.now() });
  }

  /** Who reported to this process lately, in memory alone. */
  presentViewers(): PresentViewer[] {
    return this.recorder.presentViewers();
  }

  /** For `/metrics`: of this process alone, without anything about anybody. */
  lastMinute(): LastMinute & { viewers: number } {
    return {
      ...sumLastMinute(this.recorder.playback, this.deps.clock.now()),
      viewers: this.recorder.countPresentViewers(),
    };
  }
}
