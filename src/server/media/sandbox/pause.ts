import { readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '../../clock.ts';

/** Decides which programs are paused while others have precedence. */
export class Precedence {
  /** Pauses all programs. */
  readonly all = new Pause();
  /** Pauses the programs that yield. */
  readonly yielding = new Pause();
  private first = 0;

  setPaused(isPaused: boolean): void {
    this.all.set(isPaused);
    this.apply();
  }

  /** Pauses the yielding programs during some work. */
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

/**
 * A switch that stops and resumes running programs. A program that starts while it is on is
 * stopped, too.
 */
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

  /** @returns a function that unsubscribes */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Interval at which a starting watcher is looked for. */
const retryMs = 50;

/**
 * Stops a program and its wall clock limit while `pause` is on. It is never stopped before its
 * watcher runs, because otherwise nothing would end it together with the server.
 * @returns a function that ends this
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
 * Sends a signal to a program and to its descendants, parents first. The watcher is left out: it
 * has to keep running to end a stopped program together with the server.
 * @param watcher the watcher's arguments
 */
function signalProgram(pid: number, signal: 'SIGSTOP' | 'SIGCONT', watcher: readonly string[]): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The program has already ended.
  }
  for (const child of childrenOf(pid)) if (!isSame(argumentsOf(child), watcher)) signalProgram(child, signal, watcher);
}

/** Whether the program's watcher is running. Always false without /proc. */
function hasWatcher(pid: number, watcher: readonly string[]): boolean {
  return childrenOf(pid).some((child) => isSame(argumentsOf(child), watcher));
}

/** Ids of the child processes. Empty without /proc. */
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

/** A timer with a longer delay would fire at once. */
const maxDelayMs = 2 ** 31 - 1;

/** A limit of wall clock time, without the time for which the program is paused. */
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
