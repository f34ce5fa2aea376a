import { retryDelayMs } from './retry-delay.ts';

/** How patient a runner is. Milliseconds. */
export interface RunnerTimes {
  /** How often the queue is looked at for what other processes have put there, and for what had to wait. */
  poll: number;
  /** How often running jobs are said to be running. */
  heartbeat: number;
  /** How long after its last heartbeat a job is given to somebody else. */
  lease: number;
  /** How long to wait for aborted jobs when stopping. */
  stopPatience: number;
  retryDelay(attempts: number): number;
}

export const usualTimes: RunnerTimes = {
  poll: 2_000,
  heartbeat: 5_000,
  lease: 30_000,
  stopPatience: 5_000,
  retryDelay: retryDelayMs,
};
