import { proxy } from 'valtio/vanilla';
import { readHealth } from '#contract/endpoints.ts';
import { call } from '../platform/http/call.ts';
import { recovered } from '../platform/http/recovery.ts';
import { reached } from '../platform/http/send.ts';
import { after, timeLimit } from '../platform/timers.ts';

/** Waits between two quiet retries; each is stretched by up to a half, so that many clients do not return at once. */
const retryMs = [1_000, 2_000, 4_000, 8_000, 15_000];
const probeLimitMs = 5_000;

interface ConnectionState {
  /** Whether our server answers. Learned from calls; the browser's own word for online is only a reason to ask. */
  isReachable: boolean;
}

export const connection = proxy<ConnectionState>({ isReachable: true });

let retries = 0;
let isProbing = false;
/** A call was not answered in time, and nothing has been since. */
let isUncertain = false;
let cancelRetry = () => {};
let stopListening = () => {};

/** Follows the outcomes of all calls. While the server is away, a quiet retry brings it back. */
export function watchConnection(): void {
  stopListening = reached.listen(onOutcome);
  window.addEventListener('online', onOnline);
  window.addEventListener('offline', checkConnection);
}

function onOutcome(outcome: 'answered' | 'away' | 'silent'): void {
  if (outcome === 'answered') markReachable();
  else if (outcome === 'away') markAway();
  else verify();
}

function verify(): void {
  isUncertain = true;
  void checkConnection();
}

/** What went unanswered is asked again beside the probe: it need not wait for two answers. */
function onOnline(): void {
  recovered.emit();
  void checkConnection();
}

/** Asks at once whether the server answers, for whoever has a reason to doubt it. */
export async function checkConnection(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  cancelRetry();
  const limit = timeLimit(probeLimitMs);
  try {
    await call(readHealth, { signal: limit.signal, quiet: true });
  } catch {
    // The outcome was reported to `reached`, except when the time limit cut a silent network off.
    if (limit.signal.aborted) markAway();
  } finally {
    limit.done();
    isProbing = false;
  }
}

export function resetConnection(): void {
  cancelRetry();
  stopListening();
  retries = 0;
  isProbing = false;
  isUncertain = false;
  connection.isReachable = true;
}

function markReachable(): void {
  cancelRetry();
  retries = 0;
  const isBack = isUncertain || !connection.isReachable;
  isUncertain = false;
  connection.isReachable = true;
  if (isBack) recovered.emit();
}

function markAway(): void {
  connection.isReachable = false;
  cancelRetry();
  const waitMs = retryMs[Math.min(retries, retryMs.length - 1)] as number;
  retries += 1;
  cancelRetry = after(waitMs * (1 + Math.random() / 2), checkConnection);
}
