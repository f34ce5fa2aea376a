import { hostname } from 'node:os';
import type { SweepTime } from '../database/sweep-time.ts';
import type { Ids } from '../ids.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import { claimJob } from './claim-repository.ts';
import { forgetEnded } from './forget-ended.ts';
import type { ClaimedJob, JobLane } from './job.ts';
import type { RunnerTimes } from './runner-times.ts';
import { usualTimes } from './runner-times.ts';
import type { Runs, RunsDeps } from './runs.ts';
import { createRuns } from './runs.ts';

export interface RunnerDeps extends RunsDeps {
  ids: Ids;
  sweepTime: SweepTime;
  /** How many jobs of a lane run at a time in this process. */
  places: Readonly<Record<JobLane, number>>;
  times?: Partial<RunnerTimes>;
}

const forgetEveryMs = 3_600_000;
const lanes: readonly JobLane[] = ['media', 'encode', 'between', 'light'];

/**
 * Executes queued jobs, a few at a time. All it does to the database is short; the work itself belongs to the kinds.
 */
export class Runner {
  private readonly deps: RunnerDeps;
  private readonly times: RunnerTimes;
  private readonly node = `${hostname()}:${process.pid}`;
  private readonly runs: Runs;
  private readonly stopping = new AbortController();
  private timer: Repetition | undefined;
  private beatAt = Number.NEGATIVE_INFINITY;
  private forgotAt = Number.NEGATIVE_INFINITY;
  private turn: Promise<void> | null = null;
  private isTurnWanted = false;

  constructor(deps: RunnerDeps) {
    this.deps = deps;
    this.times = { ...usualTimes, ...deps.times };
    this.runs = createRuns(deps, this.times);
    deps.queue.watch({ added: () => this.wake(), cancelled: (id) => this.runs.lose(id) });
  }

  start(): void {
    this.timer ??= repeat(() => this.wake(), this.times.poll);
    this.wake();
  }

  /** Takes nothing new; what runs is aborted, and goes back to the queue without having used up an attempt. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.timer?.stop();
    await this.turn;
    await this.runs.stop();
  }

  /** One turn at a time; a call during one makes another follow. */
  private wake(): void {
    if (this.stopping.signal.aborted || this.timer === undefined) return;
    if (this.turn !== null) {
      this.isTurnWanted = true;
      return;
    }
    this.turn = this.runTurn().finally(() => {
      this.turn = null;
      if (this.isTurnWanted) this.wake();
    });
  }

  private async runTurn(): Promise<void> {
    const { clock, log } = this.deps;
    this.isTurnWanted = false;
    try {
      // Our own first: a clock that was set forward must not make our own jobs look abandoned.
      if (clock.elapsed() - this.beatAt >= this.times.heartbeat) await this.beat();
      for (const lane of lanes) await this.fill(lane);
      if (clock.elapsed() - this.forgotAt >= forgetEveryMs) await this.forget();
    } catch (error) {
      log.warn({ err: error }, 'the queue of jobs cannot be reached');
    }
  }

  private async beat(): Promise<void> {
    await this.runs.beat();
    this.beatAt = this.deps.clock.elapsed();
  }

  private async fill(lane: JobLane): Promise<void> {
    const kinds = this.deps.queue.kinds().filter((kind) => kind.lane === lane || kind.otherLane === lane);
    const names = kinds.map((kind) => kind.kind);
    while (kinds.length > 0 && !this.stopping.signal.aborted && this.runs.countIn(lane) < this.deps.places[lane]) {
      const job = await this.claim(lane, names);
      if (job === null) return;
      this.runs.begin(job, lane, () => this.wake());
    }
  }

  private claim(lane: JobLane, kinds: readonly string[]): Promise<ClaimedJob | null> {
    const { clock, database, ids } = this.deps;
    const now = clock.now();
    const input = { lane, kinds, lease: ids.secret(), leaseUntil: now + this.times.lease, node: this.node, now };
    return database.write((transaction) => claimJob(transaction, database.dialect, input));
  }

  private async forget(): Promise<void> {
    const { clock, database, sweepTime } = this.deps;
    this.forgotAt = clock.elapsed();
    await forgetEnded(database, await sweepTime.read(), this.stopping.signal);
  }
}
