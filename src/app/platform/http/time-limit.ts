import { limits } from '#contract/limits.ts';
import { after, now } from '../timers.ts';
import { recovered } from './recovery.ts';

/** Nobody answered within the limit. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

interface Limit {
  seconds: number;
  /** The caller's own: it ends the wait at once. */
  signal?: AbortSignal | undefined;
  /** Asking twice does no harm: what has gone unanswered for `unansweredSeconds` is asked anew when the network recovers, with a new limit. */
  isRepeatable?: boolean;
}

/**
 * Waits for an answer no longer than the limit, whether or not `ask` heeds the signal that it is given.
 * @throws Unanswered after the limit, an `AbortError` when the caller's signal aborts, else what `ask` throws
 */
export function withinLimit<Result>({ seconds, signal, isRepeatable = false }: Limit, ask: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    let abort = new AbortController();
    let askedAt = now();
    let cancelLimit = () => {};
    const stopListening = recovered.listen(() => isRepeatable && now() - askedAt >= limits.unansweredSeconds * 1000 && askAnew());
    const giveUpWithCaller = () => giveUp(new DOMException('The caller gave up.', 'AbortError'));
    signal?.addEventListener('abort', giveUpWithCaller);
    begin();

    function begin(): void {
      const own = abort;
      askedAt = now();
      cancelLimit = after(seconds * 1000, () => giveUp(new Unanswered()));
      if (signal?.aborted) own.abort();
      ask(own.signal).then(
        (result) => own === abort && end(() => resolve(result)),
        (error) => own === abort && end(() => reject(error)),
      );
    }

    function askAnew(): void {
      const silent = abort;
      cancelLimit();
      abort = new AbortController();
      silent.abort();
      begin();
    }

    /** Also frees the connection. */
    function giveUp(reason: Error): void {
      end(() => reject(reason));
      abort.abort();
    }

    function end(settle: () => void): void {
      cancelLimit();
      stopListening();
      signal?.removeEventListener('abort', giveUpWithCaller);
      settle();
    }
  });
}

/**
 * What the app loads when it is needed: a file that does not come within the limit of a call counts as one that cannot be had.
 * @throws Unanswered, or what the loading throws
 */
export function loadWithinLimit<Part>(load: () => Promise<Part>): Promise<Part> {
  return withinLimit({ seconds: limits.callTimeoutSeconds }, load);
}
