/** Something that is done again and again. */
export interface Repetition {
  stop(): void;
}

/**
 * The one place with an interval, because what an interval throws ends the process. Does a task every `everyMs`, the
 * first time after that, and not while it is still at work; it does not keep the process alive.
 * @param onFault hears what the task throws or rejects with: once, until it succeeds again or fails with other words.
 * Not of a task that is still at work when it is stopped: what it needs may be gone by then
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

/** On standard error: for what has no log, and can hardly fail. */
function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
