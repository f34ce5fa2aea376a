import { hostname } from 'node:os';
import type { Ids } from '../ids.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import { claimJob } from './claim-repository.ts';
import { forgetEnded } from './forget-ended.ts';
import type { ClaimedJob, JobLane } from './job.ts';
import type { RunnerTimes } from './runner-times.ts';
import { usualTimes } from './runner-times.ts';
import type { RunsParts } from './runs.ts';
import { createRuns } from './runs.ts';

export interface Runner {
  start(): void;
  /** Takes nothing new; what runs is aborted, and goes back to the queue without having used up an attempt. */
  stop(): Promise<void>;
}

export interface RunnerParts extends RunsParts {
  ids: Ids;
  /** How many jobs of a lane run at a time in this process. */
  places: Readonly<Record<JobLane, number>>;
  times?: Partial<RunnerTimes>;
}

const forgetEveryMs = 3_600_000;
const lanes: readonly JobLane[] = ['media', 'light'];

/** Executes queued jobs, a few at a time. All it does to the database is short; the work itself belongs to the kinds. */
export function createRunner(parts: RunnerParts): Runner {
  const { queue, database, clock, ids, log } = parts;
  const times = { ...usualTimes, ...parts.times };
  const node = `${hostname()}:${process.pid}`;
  const runs = createRuns(parts, times);
  const stop = new AbortController();
  let timer: Repetition | undefined;
  let beatAt = Number.NEGATIVE_INFINITY;
  let forgotAt = Number.NEGATIVE_INFINITY;
  let turn: Promise<void> | null = null;
  let isTurnWanted = false;

  /** One turn at a time; a wish during one makes another follow. */
  function wake(): void {
    if (stop.signal.aborted || timer === undefined) return;
    if (turn !== null) {
      isTurnWanted = true;
      return;
    }
    turn = takeTurn().finally(() => {
      turn = null;
      if (isTurnWanted) wake();
    });
  }

  async function takeTurn(): Promise<void> {
    isTurnWanted = false;
    try {
      // Our own first: a clock that was set forward must not make our own jobs look abandoned.
      if (clock.elapsed() - beatAt >= times.heartbeat) await beat();
      for (const lane of lanes) await fill(lane);
      if (clock.elapsed() - forgotAt >= forgetEveryMs) await forget();
    } catch (error) {
      log.warn({ err: error }, 'the queue of jobs cannot be reached');
    }
  }

  async function beat(): Promise<void> {
    await runs.beat();
    beatAt = clock.elapsed();
  }

  async function fill(lane: JobLane): Promise<void> {
    const kinds = queue.kinds().filter((kind) => kind.lane === lane);
    while (kinds.length > 0 && !stop.signal.aborted && runs.countIn(lane) < parts.places[lane]) {
      const job = await claim(
        lane,
        kinds.map((kind) => kind.kind),
      );
      if (job === null) return;
      runs.begin(job, lane, wake);
    }
  }

  function claim(lane: JobLane, kinds: readonly string[]): Promise<ClaimedJob | null> {
    const now = clock.now();
    const wish = { lane, kinds, lease: ids.secret(), leaseUntil: now + times.lease, node, now };
    return database.write((transaction) => claimJob(transaction, database.dialect, wish));
  }

  async function forget(): Promise<void> {
    forgotAt = clock.elapsed();
    await forgetEnded(database, clock, stop.signal);
  }

  queue.watch({ added: wake, cancelled: (id) => runs.lose(id) });

  return {
    start() {
      timer ??= repeat(wake, times.poll);
      wake();
    },
    async stop() {
      stop.abort();
      timer?.stop();
      await turn;
      await runs.stop();
    },
  };
}
