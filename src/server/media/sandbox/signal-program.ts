import { readdirSync, readFileSync } from 'node:fs';

/**
 * Sends a signal to a program and to all that it has started, but not to the watcher: that one has to stay awake, so
 * that a program which stands still ends with its server, too. Whoever starts others is reached before them.
 * @param watcher its arguments
 */
export function signalProgram(pid: number, signal: 'SIGSTOP' | 'SIGCONT', watcher: readonly string[]): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
  for (const child of childrenOf(pid)) if (!isSame(argumentsOf(child), watcher)) signalProgram(child, signal, watcher);
}

/** Whether the program's watcher is awake by now. Never where there is no /proc. */
export function hasWatcher(pid: number, watcher: readonly string[]): boolean {
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
