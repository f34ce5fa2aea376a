import type { Log } from '../../../log.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import type { Posters } from '../../videos/posters.ts';
import type { AlignDeps } from './align-rows.ts';
import { alignRows } from './align-rows.ts';
import type { StrayDeps } from './remove-strays.ts';
import { removeStrays } from './remove-strays.ts';

interface ReconcilerDeps extends AlignDeps, StrayDeps {
  posters: Pick<Posters, 'queueCleanUp'>;
  log: Log;
}

const everyMs = 3_600_000;

/**
 * Brings stored videos and their rows in line, at the start and every hour, in the background: several nodes that do it
 * at once do the same.
 */
export class Reconciler {
  private readonly deps: ReconcilerDeps;
  private readonly ending = new AbortController();
  private timer: Repetition | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(deps: ReconcilerDeps) {
    this.deps = deps;
  }

  /** Begins, and does not wait for it. */
  start(): void {
    const turn = () => this.run().catch((err: unknown) => this.deps.log.warn({ err }, 'uploads could not be compared'));
    this.timer = repeat(turn, everyMs);
    void turn();
  }

  async stop(): Promise<void> {
    this.timer?.stop();
    this.ending.abort();
    await this.running.catch(() => {});
  }

  /** One turn after the other. */
  run(): Promise<void> {
    const turn = () => this.reconcile();
    this.running = this.running.then(turn, turn);
    return this.running;
  }

  private async reconcile(): Promise<void> {
    const { signal } = this.ending;
    await alignRows(this.deps, signal);
    await removeStrays(this.deps, signal);
    await this.deps.posters.queueCleanUp();
  }
}
