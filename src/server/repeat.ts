/** A task that runs again and again. */
export interface Repetition {
  stop(): void;
}

/**
 * Runs a task every `everyMs`, for the first time after `everyMs`, and never while it is still
 * running. It does not keep the process alive. All intervals are made here, because an error thrown
 * in a bare interval ends the process.
 * @param onFault receives what the task throws or rejects with: once, until the task succeeds again
 * or fails with another message. It is not called for a run that is still going on when the task is
 * stopped: what it needs may be gone by then
 */
export function repeat(task: () => unknown, everyMs: number, onFault: (error: unknown) => void = warn): Repetition {
  let isAtWork = false;
  let isStopped = false;
  let lastFault: string | null = null;

  function note(error: unknown): void {
    const fault = String(error);
    if (fault !== lastFault && !isStopped) onFault(error);
    lastFault = fault;
  }

  async function untilDone(work: Promise<unknown>): Promise<void> {
    isAtWork = true;
    try {
      await work;
      lastFault = null;
    } catch (error) {
      note(error);
    } finally {
      isAtWork = false;
    }
  }

  function takeTurn(): void {
    if (isAtWork) return;
    try {
      const work = task();
      if (work instanceof Promise) void untilDone(work);
      else lastFault = null;
    } catch (error) {
      note(error);
    }
  }

  const timer = setInterval(takeTurn, everyMs).unref();
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/** Prints a warning on standard error, for tasks that have no log and can hardly fail. */
function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
