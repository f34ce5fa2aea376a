import type { Performance } from '#contract/entities/site/performance.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Ids } from '../../ids.ts';
import type { Log } from '../../log.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { LastMinute } from './read/last-minute.ts';
import { sumLastMinute } from './read/last-minute.ts';
import type { PerformanceRequest } from './read/read-performance.ts';
import { readPerformance } from './read/read-performance.ts';
import type { Sample } from './record/sample.ts';
import type { Reporter, Viewer } from './record/viewer.ts';
import type { PresentViewer } from './record/viewers.ts';
import { Viewers } from './record/viewers.ts';
import { playbackPart } from './stats/playback-part.ts';
import { PlaybackSlots } from './stats/playback-slots.ts';
import type { StatsPart } from './stats/stats-writer.ts';
import { StatsWriter } from './stats/stats-writer.ts';

export interface PlaybackHealthDeps {
  database: Database;
  clock: Clock;
  ids: Pick<Ids, 'short'>;
  log: Log;
}

const writeEveryMs = 10_000;

/** How videos play, as players report it: counted in memory, written every ten seconds, read over all processes. */
export class PlaybackHealth {
  private readonly deps: PlaybackHealthDeps;
  private readonly viewers = new Viewers();
  private readonly slots: PlaybackSlots;
  private readonly writer: StatsWriter;
  private timer: Repetition | undefined;

  /** @param parts are written together with what it counts itself */
  constructor(deps: PlaybackHealthDeps, parts: readonly StatsPart[] = []) {
    this.deps = deps;
    this.slots = new PlaybackSlots(() => deps.ids.short());
    this.writer = new StatsWriter(deps.database, [playbackPart(this.slots), ...parts]);
  }

  start(): void {
    this.timer ??= repeat(
      () => this.write(),
      writeEveryMs,
      (err) => this.deps.log.warn({ err }, 'how videos play could not be written; it is tried again'),
    );
  }

  /** What is left is written, if it can be. */
  async stop(): Promise<void> {
    this.timer?.stop();
    await this.write().catch((err: unknown) => this.deps.log.warn({ err }, 'how videos played last is lost'));
  }

  /** Counts samples that have not come before, of viewers that there is room for. */
  record(reporter: Reporter, samples: readonly Sample[]): void {
    const viewer = samples.length === 0 ? null : this.viewers.find(reporter);
    if (viewer !== null) for (const sample of samples) this.count(viewer, sample);
  }

  /** @throws when the database cannot be written to; nothing is lost then */
  async write(): Promise<void> {
    const now = this.deps.clock.now();
    this.viewers.forget(now);
    await this.writer.write(now);
  }

  read(request: Omit<PerformanceRequest, 'now'>): Promise<Performance> {
    const { database, clock } = this.deps;
    return readPerformance(database.reader, this.slots, { ...request, now: clock.now() });
  }

  /** Who reported to this process lately, in memory alone. */
  presentViewers(): PresentViewer[] {
    return this.viewers.present(this.deps.clock.now());
  }

  /** For `/metrics`: of this process alone, without anything about anybody. */
  lastMinute(): LastMinute & { viewers: number } {
    return { ...sumLastMinute(this.slots, this.deps.clock.now()), viewers: this.presentViewers().length };
  }

  private count(viewer: Viewer, sample: Sample): void {
    const own = viewer.in(sample.quadrant, this.deps.clock.elapsed());
    if (!own.seen.add(sample.deviceAt, this.deps.clock.elapsed())) return;
    const { change } = own.sessions.add(sample.at);
    if (change !== null) this.slots.addSession(sample.quadrant, change);
    const any = viewer.sessions.add(sample.at);
    if (any.change !== null) this.slots.addSession('all', any.change);
    any.session.stalls += sample.stalls;
    this.slots.addSample(sample);
  }
}
