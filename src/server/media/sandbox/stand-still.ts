import type { Pause } from './pause.ts';
import { hasWatcher, signalProgram } from './signal-program.ts';
import type { WallLimit } from './wall-limit.ts';

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
