import { readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '../../clock.ts';

/** What stands still, and what goes on, while some programs go first. */
export class Precedence {
  /** Of all programs. */
  readonly all = new Pause();
  /** Of those that yield. */
  readonly yielding = new Pause();
  private first = 0;

  setPaused(isPaused: boolean): void {
    this.all.set(isPaused);
    this.apply();
  }

  /** Lets those that yield stand still during some work. */
  async duringFirst<T>(work: () => Promise<T>): Promise<T> {
    this.first += 1;
    this.apply();
    try {
      return await work();
    } finally {
      this.first -= 1;
      this.apply();
    }
  }

  private apply(): void {
    this.yielding.set(this.all.isPaused || this.first > 0);
  }
}

/** Stops running programs where they are, and lets them go on. One that starts meanwhile is stopped, too. */
export class Pause {
  private paused = false;
  private readonly listeners = new Set<() => void>();

  get isPaused(): boolean {
    return this.paused;
  }

  set(isPaused: boolean): void {
    if (this.paused === isPaused) return;
    this.paused = isPaused;
    for (const listener of [...this.listeners]) listener();
  }

  /** @returns what ends it */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** A watcher that does not run yet runs soon. */
const retryMs = 50;

/**
 * Lets a program stand still, and its clock with it, as long as it is paused. It is never stopped before its watcher
 * runs: nothing would end it with its server.
 * @returns what ends that
 */
export function standStill(pid: number, watcher: readonly string[], pause: Pause, clock: WallLimit): () => void {
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;
  const apply = () => {
    clearTimeout(retry);
    if (pause.isPaused === isStopped) return;
    if (pause.isPaused && !hasWatcher(pid, watcher)) {
      retry = setTimeout(apply, retryMs);
      return;
    }
    isStopped = pause.isPaused;
    signalProgram(pid, isStopped ? 'SIGSTOP' : 'SIGCONT', watcher);
    if (isStopped) clock.stop();
    else clock.start();
  };
  const unsubscribe = pause.subscribe(apply);
  apply();
  return () => {
    unsubscribe();
    clearTimeout(retry);
  };
}

/**
 * Sends a signal to a program and to all that it has started, but not to the watcher: that one has to stay awake, so
 * that a program which stands still ends with its server, too. Whoever starts others is reached before them.
 * @param watcher its arguments
 */
function signalProgram(pid: number, signal: 'SIGSTOP' | 'SIGCONT', watcher: readonly string[]): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
  for (const child of childrenOf(pid)) if (!isSame(argumentsOf(child), watcher)) signalProgram(child, signal, watcher);
}

/** Whether the program's watcher is awake by now. Never where there is no /proc. */
function hasWatcher(pid: number, watcher: readonly string[]): boolean {
  return childrenOf(pid).some((child) => isSame(argumentsOf(child), watcher));
}

/** None where there is no /proc. */
function childrenOf(pid: number): number[] {
  return readOr(() => readdirSync(`/proc/${pid}/task`), []).flatMap((thread) =>
    readOr(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1'), '')
      .split(' ')
      .flatMap((child) => Number(child) || []),
  );
}

function argumentsOf(pid: number): string[] {
  return readOr(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split('\0');
}

function isSame(args: readonly string[], watcher: readonly string[]): boolean {
  return watcher.every((arg, at) => args[at] === arg);
}

function readOr<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** A timer with a longer one ends at once. */
const maxDelayMs = 2 ** 31 - 1;

/** A limit by the clock on the wall. Time in which the program stands still does not count. */
export class WallLimit {
  private readonly onReached: () => void;
  private leftMs: number;
  private startedAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(seconds: number, onReached: () => void) {
    this.leftMs = seconds * 1000;
    this.onReached = onReached;
  }

  start(): void {
    this.startedAt = systemClock.elapsed();
    this.timer = setTimeout(this.onReached, Math.min(maxDelayMs, this.leftMs));
  }

  stop(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.leftMs -= systemClock.elapsed() - this.startedAt;
  }
}
