import type { EncodingOverview } from '#contract/entities/library.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { JobRun } from '../../jobs/job.ts';
import type { Encoder } from '../../media/encode/encoder.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { Budget } from './budget.ts';
import { processingRepository } from './processing-repository.ts';
import type { Room } from './room.ts';

interface Running {
  progress: number;
  goesBetween: boolean;
  startedAt: number;
}

/**
 * The encodings that run in this process and their progress, which heartbeats write only from time
 * to time.
 */
export class RunningEncodings {
  private readonly clock: Pick<Clock, 'now'>;
  private readonly byVideo = new Map<number, Running>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.clock = clock;
  }

  /**
   * The time since when this encoding has been suspended for another one that runs ahead of it;
   * null when it is not.
   */
  yieldsSince(videoNumber: number): number | null {
    if (this.byVideo.get(videoNumber)?.goesBetween !== false) return null;
    const between = [...this.byVideo.values()].find(({ goesBetween }) => goesBetween);
    return between?.startedAt ?? null;
  }

  /** A number from 0 to 100; null when the encoding does not run in this process. */
  progressOf(videoNumber: number): number | null {
    return this.byVideo.get(videoNumber)?.progress ?? null;
  }

  get size(): number {
    return this.byVideo.size;
  }

  async during<T>(
    videoNumber: number,
    { report, job }: Pick<JobRun, 'report' | 'job'>,
    work: (report: (progress: number) => void) => Promise<T>,
  ): Promise<T> {
    const running: Running = { progress: 0, goesBetween: job.lane === 'between', startedAt: this.clock.now() };
    this.byVideo.set(videoNumber, running);
    try {
      return await work((progress) => {
        running.progress = Math.min(Math.max(0, progress), 100);
        report(progress);
      });
    } finally {
      if (this.byVideo.get(videoNumber) === running) this.byVideo.delete(videoNumber);
    }
  }
}

/** How long encoding stays paused after the last stall. */
const quietMs = 10_000;
/**
 * The longest pause; afterwards encoding runs for at least as long, so that one bad connection
 * takes at most half of the time.
 */
const maxPauseMs = 30_000;
const checkEveryMs = 1_000;

interface ViewerPauseDeps {
  clock: Clock;
  setPaused(isPaused: boolean): void;
}

/** Pauses encodings while videos stall. */
export class ViewerPause {
  private readonly deps: ViewerPauseDeps;
  private timer: Repetition | null = null;
  /** Measured by `clock.elapsed()`. */
  private stalledAt = Number.NEGATIVE_INFINITY;
  private notBefore = Number.NEGATIVE_INFINITY;
  private pausedFrom: number | null = null;
  private pausedAtWall: number | null = null;
  private isStopped = false;

  constructor(deps: ViewerPauseDeps) {
    this.deps = deps;
  }

  /** Epoch milliseconds since when encodings are paused; null while they run. */
  get pausedAt(): number | null {
    return this.pausedAtWall;
  }

  noteStalls(): void {
    if (this.isStopped) return;
    this.stalledAt = this.deps.clock.elapsed();
    if (this.pausedFrom === null && this.stalledAt >= this.notBefore) this.pause(this.stalledAt);
  }

  stop(): void {
    this.isStopped = true;
    if (this.pausedFrom !== null) this.resume(this.pausedFrom);
  }

  private pause(now: number): void {
    this.pausedFrom = now;
    this.pausedAtWall = this.deps.clock.now();
    this.deps.setPaused(true);
    this.timer = repeat(() => this.check(), checkEveryMs);
  }

  private check(): void {
    const now = this.deps.clock.elapsed();
    const { pausedFrom } = this;
    if (pausedFrom !== null && (now - this.stalledAt >= quietMs || now - pausedFrom >= maxPauseMs))
      this.resume(pausedFrom);
  }

  private resume(pausedFrom: number): void {
    const now = this.deps.clock.elapsed();
    this.timer?.stop();
    this.timer = null;
    this.pausedFrom = null;
    this.pausedAtWall = null;
    this.notBefore = now + (now - pausedFrom);
    this.deps.setPaused(false);
  }
}

interface OverviewDeps {
  database: Pick<Database, 'reader'>;
  encoder: Encoder;
  room: Pick<Room, 'usedBytes'>;
  budget: Budget;
  running: Pick<RunningEncodings, 'progressOf' | 'yieldsSince'>;
  pause: Pick<ViewerPause, 'pausedAt'>;
}

/**
 * The overview for administrators. The progress of an encoding on another node is that of its last
 * heartbeat.
 */
export async function readOverview(deps: OverviewDeps): Promise<EncodingOverview> {
  const { reader } = deps.database;
  const facts = await deps.encoder.facts();
  return {
    used_bytes: await deps.room.usedBytes(),
    budget_bytes: deps.budget.bytes,
    free_bytes: (await deps.budget.readSpace())?.free ?? null,
    ...(await processingRepository.count(reader)),
    running: (await processingRepository.listRunning(reader)).map((row) => toRunning(deps, row)),
    encoder: facts?.encoder ?? null,
    is_hardware: facts?.isHardware ?? false,
    maps_tones: facts?.mapsTones ?? false,
  };
}

function toRunning(
  { running, pause }: OverviewDeps,
  { number, id, filename, progress }: { number: number; id: string; filename: string; progress: number },
): EncodingOverview['running'][number] {
  const here = running.progressOf(number);
  const isPaused = here !== null && pause.pausedAt !== null;
  const yieldsSince = running.yieldsSince(number);
  return {
    video_id: id,
    filename,
    progress: here ?? progress,
    paused_at: isPaused ? new Date(pause.pausedAt ?? 0).toISOString() : null,
    yields_since: yieldsSince === null ? null : new Date(yieldsSince).toISOString(),
  };
}
