import type { Log } from './log.ts';

/** Ends the process: when it is told to, and when nobody knows any more what state it is in. */
export interface ProcessEnd {
  /** From here on there is something to stop. */
  stopBy(stop: () => Promise<void>): void;
}

export interface ProcessEndDeps {
  log: Log;
  print(text: string): void;
}

/** sysexits.h: an internal fault of the software. A supervisor starts it again. */
const exitFault = 70;
/** A gentle stop takes 8 s at most (`http/pipeline/listen.ts`), and the library's thread 3 s more. */
const longestStopMs = 15_000;

/**
 * From its call on, an error that nobody caught and a promise whose failure nobody heard are written down, and the
 * process stops as gently as it can: what it would do from then on is anybody's guess. The first signal stops gently,
 * the second at once.
 */
export function watchProcess({ log, print }: ProcessEndDeps): ProcessEnd {
  let stop: (() => Promise<void>) | null = null;
  let isStopping = false;

  async function end(code: number): Promise<void> {
    isStopping = true;
    setTimeout(() => process.exit(code === 0 ? 1 : code), longestStopMs);
    try {
      await stop?.();
    } catch (err) {
      log.error({ err }, 'the server could not stop gently');
      process.exit(code === 0 ? 1 : code);
    }
    process.exit(code);
  }

  // Also promises: without a handler of their own, they come here.
  process.on('uncaughtException', (err, origin) => {
    log.fatal(
      { err, origin },
      'something failed that nobody was prepared for: the server stops, because it cannot know what else is wrong',
    );
    if (!isStopping) void end(exitFault);
  });

  return {
    stopBy(given) {
      stop = given;
      const onSignal = (signal: NodeJS.Signals) => {
        if (isStopping) process.exit(1);
        print(`\n  Stopping (${signal}). Once more stops at once.\n`);
        void end(0);
      };
      process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
    },
  };
}
