import type { Log } from './log.ts';

/** Ends the process on a signal, and after an uncaught error, when its state is unknown. */
interface ProcessEnd {
  /** Registers the function that stops the server, and handles signals from then on. */
  stopBy(stop: () => Promise<void>): void;
}

/** sysexits.h: an internal software error. A supervisor restarts the process. */
const exitFault = 70;
/** A graceful stop takes up to 8 s (`http/pipeline/listen.ts`), the library's thread 3 s more. */
const longestStopMs = 15_000;

/**
 * Logs uncaught errors and unhandled rejections from now on, and then stops the process as
 * gracefully as possible, because its state is unknown. The first signal stops it gracefully, the
 * second one at once.
 */
export function watchProcess(log: Log, print: (text: string) => void): ProcessEnd {
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

  // Unhandled rejections arrive here too, as they have no handler of their own.
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
