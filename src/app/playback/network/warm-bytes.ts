import { after } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import { mediaBudget } from '../budget/device-budget.ts';
import type { Lease } from '../budget/media-budget.ts';
import { addressOf } from './stream-address.ts';

/** Enough for header and first frames. */
const warmedBytes = limits.pieceMinBytes;

/**
 * Fetches the first bytes of a stream into the browser's cache as soon as a connection is free, for five seconds at
 * most. Returns what ends it.
 */
export function warmBytes(url: string): () => void {
  const abort = new AbortController();
  const cancelLimit = { run: () => {} };
  const lease: Lease = mediaBudget.request({
    needs: ['connection'],
    priority: 'ahead',
    granted: () => void begin(),
    revoked: () => stop(),
  });
  if (lease.isHeld) void begin();

  async function begin(): Promise<void> {
    cancelLimit.run = after(limits.preloadTimeoutSeconds * 1000, stop);
    try {
      const response = await fetch(addressOf(url), {
        headers: { range: `bytes=0-${warmedBytes - 1}` },
        signal: abort.signal,
      });
      await response.arrayBuffer();
    } catch {
      // What could not be warmed is fetched when it is wanted.
    }
    stop();
  }

  function stop(): void {
    cancelLimit.run();
    abort.abort();
    lease.release();
  }

  return stop;
}
