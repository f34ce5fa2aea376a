import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { readHealth } from '#contract/start.ts';
import { after, timeLimit } from '#device/timers.ts';
import { call } from '../platform/http/call.ts';
import { reached } from '../platform/http/send.ts';
import { reconnectWaitMs, recovered } from '../platform/link.ts';

const probeLimitMs = 5_000;

interface ConnectionState {
  /**
   * Whether our server answers. Derived from the outcomes of calls; the browser's `online` event
   * only causes a check.
   */
  isReachable: boolean;
  /** A call timed out, and none has been answered since. */
  isInDoubt: boolean;
}

export const connection = proxy<ConnectionState>({ isReachable: true, isInDoubt: false });

let retries = 0;
let isProbing = false;
let cancelRetry = () => {};
let stopListening = () => {};

/**
 * Subscribes to the outcomes of all calls. While the server is unreachable, retries run in the
 * background.
 */
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
  connection.isInDoubt = true;
  void checkConnection();
}

/**
 * Sends overdue requests again together with the probe, so that they need not wait for its answer.
 */
function onOnline(): void {
  recovered.emit();
  void checkConnection();
}

/** Checks at once whether the server answers. */
async function checkConnection(): Promise<void> {
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
  window.removeEventListener('online', onOnline);
  window.removeEventListener('offline', checkConnection);
  retries = 0;
  isProbing = false;
  Object.assign(connection, { isReachable: true, isInDoubt: false });
}

function markReachable(): void {
  cancelRetry();
  retries = 0;
  const isBack = connection.isInDoubt || !connection.isReachable;
  Object.assign(connection, { isReachable: true, isInDoubt: false });
  if (isBack) recovered.emit();
}

function markAway(): void {
  connection.isReachable = false;
  cancelRetry();
  cancelRetry = after(reconnectWaitMs(retries, Math.random()), checkConnection);
  retries += 1;
}

/** How long the sentence is shown before the pill shrinks to its icon. */
const sentenceMs = 6_000;

interface OfflineNoticeState {
  face: 'hidden' | 'sentence' | 'tile';
}

export const offlineNotice = proxy<OfflineNoticeState>({ face: 'hidden' });

let cancelShrinking = () => {};

/**
 * Shows the sentence each time the server becomes unreachable, then the icon alone until it is
 * reachable. Returns a function that stops it.
 */
export function watchOfflineNotice(): () => void {
  showFor(connection.isReachable);
  return subscribeKey(connection, 'isReachable', showFor);
}

function showFor(isReachable: boolean): void {
  cancelShrinking();
  offlineNotice.face = isReachable ? 'hidden' : 'sentence';
  if (isReachable) return;
  cancelShrinking = after(sentenceMs, () => {
    offlineNotice.face = 'tile';
  });
}
