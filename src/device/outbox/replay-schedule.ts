import { after } from '../timers.ts';
import type { ReplayEnd } from './replay.ts';
import { retryWaitMs } from './retry-wait.ts';

/** Another tab that sends may be suspended: it is looked after again. */
const takenWaitMs = 30_000;

/** When the replay runs: at once, again after a wait, or not before something has changed. */
export class ReplaySchedule {
  private readonly runOnce: () => Promise<ReplayEnd>;
  private readonly chance: () => number;
  private failures = 0;
  private running: Promise<ReplayEnd> | null = null;
  private isWantedAgain = false;
  /** The server has asked for the present wait, or lets its owner in no more. */
  private isHeldBack = false;
  private cancelWait = () => {};

  constructor(runOnce: () => Promise<ReplayEnd>, chance: () => number = Math.random) {
    this.runOnce = runOnce;
    this.chance = chance;
  }

  /** Now, whatever it was waiting for. @returns how that replay, or the one under way, has ended */
  start(): Promise<ReplayEnd> {
    this.cancelWait();
    this.isHeldBack = false;
    this.running ??= this.run();
    return this.running;
  }

  /** A change was added, or the network may be back: it goes on waiting for what the server has asked for. */
  hurry(): void {
    if (this.running) this.isWantedAgain = true;
    else if (!this.isHeldBack) void this.start();
  }

  stop(): void {
    this.cancelWait();
    this.failures = 0;
    this.isHeldBack = false;
  }

  private async run(): Promise<ReplayEnd> {
    this.isWantedAgain = false;
    // What this device cannot store or read now is tried again, as what cannot be sent.
    const end = await this.runOnce().catch((): ReplayEnd => ({ kind: 'later', askedMs: null, hasProgressed: false }));
    this.running = null;
    this.planNext(end);
    return end;
  }

  private planNext(end: ReplayEnd): void {
    if (end.kind === 'later') this.wait(end);
    else if (end.kind === 'taken') this.cancelWait = after(takenWaitMs, () => void this.start());
    else this.failures = 0;
    if (end.kind === 'not-signed-in') this.isHeldBack = true;
    const isOver = end.kind === 'drained' || end.kind === 'not-signed-in';
    if (isOver && this.isWantedAgain) void this.start();
  }

  private wait({ askedMs, hasProgressed }: Extract<ReplayEnd, { kind: 'later' }>): void {
    this.failures = hasProgressed ? 1 : this.failures + 1;
    this.isHeldBack = askedMs !== null;
    this.cancelWait = after(askedMs ?? retryWaitMs(this.failures, this.chance()), () => void this.start());
  }
}
