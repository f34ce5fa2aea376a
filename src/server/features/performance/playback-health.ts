import type { Performance, TroubledVideos } from '#contract/entities/performance.ts';
import type { TimeWindow } from '#contract/rules/health.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { Ids } from '../../ids.ts';
import type { Log } from '../../log.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { QuadrantOrAll } from './playback-slots.ts';
import { PlaybackSlots } from './playback-slots.ts';
import type { LastMinute } from './playback-stats.ts';
import { readPlaybackStats, sumLastMinute } from './playback-stats.ts';
import type { Sample, ViewingSessions } from './samples.ts';
import { statsRepository } from './stats-repository.ts';
import type { StatsPart } from './stats-writer.ts';
import { playbackPart, StatsWriter, VideoPart } from './stats-writer.ts';
import { rankTroubledVideos } from './troubled-videos.ts';
import { VideoSlots } from './video-slots.ts';
import type { PresentViewer, Reporter, Viewer } from './viewers.ts';
import { Viewers } from './viewers.ts';

interface PlaybackHealthDeps {
  database: Database;
  sweepTime: SweepTime;
  clock: Clock;
  ids: Pick<Ids, 'short'>;
  log: Log;
  hasBytes?(viewer: string): boolean;
  /** Called with what a sample adds to the playing time of a video. */
  onPlayed?(videoId: string, ms: number): void;
  /** Called when samples report stalls. */
  onStalls?(): void;
}

const writeEveryMs = 10_000;
/** Every process has written these slots, with the reports of half a minute. */
const countedFromMs = 120_000;
const countedUntilMs = 50_000;

/**
 * Playback statistics from the reports of players: counted in memory, written every ten seconds,
 * and read over all processes.
 */
export class PlaybackHealth {
  private readonly deps: PlaybackHealthDeps;
  private readonly recorder: Recorder;
  private readonly writer: StatsWriter;
  private timer: Repetition | undefined;

  /** @param parts are written together with its own counts */
  constructor(deps: PlaybackHealthDeps, parts: readonly StatsPart[] = []) {
    this.deps = deps;
    this.recorder = new Recorder({
      clock: deps.clock,
      nameNode: () => deps.ids.short(),
      hasBytes: (viewer) => deps.hasBytes?.(viewer) === true,
      onPlayed: (videoId, ms) => deps.onPlayed?.(videoId, ms),
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

  /** Writes what is still in memory; a failure is logged. */
  async stop(): Promise<void> {
    this.timer?.stop();
    try {
      while (await this.write());
    } catch (err) {
      this.deps.log.warn({ err }, 'how videos played last could not be written');
    }
  }

  /** Counts samples that were not counted before, as long as there is room for their viewer. */
  record(reporter: Reporter, samples: readonly Sample[]): void {
    if (this.recorder.record(reporter, samples)) this.deps.onStalls?.();
  }

  /**
   * Writes a portion of the counts, and deletes a portion of the old rows.
   * @returns whether there was anything to write
   * @throws when the database cannot be written to; nothing is lost then
   */
  write(): Promise<boolean> {
    this.recorder.forgetViewers();
    return this.writer.write(this.deps.clock.now());
  }

  read(quadrant: QuadrantOrAll, duration: TimeWindow): Promise<Performance> {
    const { database, clock } = this.deps;
    return readPlaybackStats(database.lists, this.recorder.playback, { quadrant, duration, now: clock.now() });
  }

  listTroubledVideos(duration: TimeWindow): Promise<TroubledVideos> {
    const { database, clock } = this.deps;
    return rankTroubledVideos(database.lists, this.recorder.videos, { duration, now: clock.now() });
  }

  /** The most viewers of all processes that were there at once, as of a minute ago. */
  async countSiteViewers(): Promise<number> {
    const now = this.deps.clock.now();
    const range = { from: now - countedFromMs, until: now - countedUntilMs, live: [] };
    const slots = await statsRepository.sumPlayback(this.deps.database.reader, {
      ...{ quadrant: 'all', slotSeconds: 10, stepMs: 10_000 },
      ...range,
    });
    return Math.max(0, ...slots.map(({ sums }) => sums.sessions));
  }

  /** Viewers who reported to this process recently, kept in memory only. */
  presentViewers(): PresentViewer[] {
    return this.recorder.presentViewers();
  }

  /** The totals of this process for `/metrics`, without anything about a single viewer. */
  lastMinute(): LastMinute & { viewers: number } {
    return {
      ...sumLastMinute(this.recorder.playback, this.deps.clock.now()),
      viewers: this.recorder.countPresentViewers(),
    };
  }
}

interface RecorderDeps {
  clock: Clock;
  /** Gives this process a new name. */
  nameNode: () => string;
  /**
   * Whether a viewer was sent bytes of a video recently; such viewers stay when there are too many.
   */
  hasBytes?: (viewer: string) => boolean;
  onPlayed?: (videoId: string, ms: number) => void;
}

/** Counts the reports of viewers to this process, in memory. */
export class Recorder {
  readonly playback: PlaybackSlots;
  readonly videos: VideoSlots;
  private readonly clock: Clock;
  private readonly onPlayed: (videoId: string, ms: number) => void;
  private readonly viewers: Viewers;

  constructor({ clock, nameNode, hasBytes = () => false, onPlayed = () => {} }: RecorderDeps) {
    this.clock = clock;
    this.onPlayed = onPlayed;
    this.viewers = new Viewers(hasBytes);
    this.playback = new PlaybackSlots(nameNode);
    this.videos = new VideoSlots(nameNode);
  }

  /**
   * Counts samples that were not counted before, as long as there is room for their viewer.
   * @returns whether any of them reports stalls
   */
  record(reporter: Reporter, samples: readonly Sample[]): boolean {
    const viewer = samples.length === 0 ? null : this.viewers.find(reporter);
    if (viewer === null) return false;
    const now = this.clock.elapsed();
    return samples.filter((sample) => this.count(viewer, sample, now) && sample.stalls > 0).length > 0;
  }

  presentViewers(): PresentViewer[] {
    return this.viewers.present(this.clock.now());
  }

  /** An estimate where not every device is measured. */
  countPresentViewers(): number {
    return this.viewers.countPresent(this.clock.now());
  }

  /** Frees the state of viewers who have left. */
  forgetViewers(): void {
    this.viewers.forget(this.clock.now());
  }

  get viewerCount(): number {
    return this.viewers.size;
  }

  /** @returns whether the sample is new */
  private count(viewer: Viewer, sample: Sample, now: number): boolean {
    const own = viewer.in(sample.quadrant, now);
    if (!own.seen.add(sample.deviceAt, now, sample.seconds)) return false;
    const { standsFor } = viewer.reporter;
    this.extend(own.sessions, sample, sample.quadrant, standsFor);
    this.extend(viewer.sessions, sample, 'all', standsFor).stalls += sample.stalls;
    this.playback.addSample(sample, standsFor);
    // A second counts as played when it had frames.
    const playedMs = sample.totalFrames > 0 ? sample.seconds * 1_000 * standsFor : 0;
    this.videos.addSample(sample, playedMs);
    if (sample.videoId !== null && playedMs > 0) this.onPlayed(sample.videoId, playedMs);
    return true;
  }

  /** Adds the first and the last second of a sample to the sessions. @returns the one it is in */
  private extend(sessions: ViewingSessions, { at, seconds }: Sample, of: QuadrantOrAll, weight: number) {
    const first = sessions.add(at - (seconds - 1) * 1_000, weight);
    if (first.change !== null) this.playback.addSession(of, first.change, weight);
    const last = sessions.add(at, weight);
    if (last.change !== null) this.playback.addSession(of, last.change, weight);
    return last.session;
  }
}
