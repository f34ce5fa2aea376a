import { proxy } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import type { Status } from '#contract/entities/feed.ts';
import { limits } from '#contract/limits.ts';
import { readStatus } from '#contract/start.ts';
import { after, now } from '#device/timers.ts';
import { call } from '../platform/http/call.ts';
import { recovered } from '../platform/link.ts';
import { connection } from './connection.ts';

type Scanning = 'Complete' | 'In background' | 'First scan';

interface StatusState {
  /** Null before the first answer. */
  counts: { totalVideos: number; availableVideos: number; scanning: Scanning } | null;
}

/** The server's latest counts of the library. */
export const status = proxy<StatusState>({ counts: null });

const pollMs = limits.statusPollSeconds * 1000;

/** Epoch milliseconds of the last request; 0 before the first. */
let requestedAt = 0;
let abort = new AbortController();
let cancelNext = () => {};

/**
 * Requests the counts now and every `statusPollSeconds`, but not while the tab is hidden or the
 * server is unreachable. The browser caches the answer with its ETag, so that an unchanged one is a
 * 304. Returns a function that stops it.
 */
export function pollStatus(): () => void {
  document.addEventListener('visibilitychange', reschedule);
  const unsubscribe = subscribeKey(connection, 'isReachable', reschedule, true);
  reschedule();
  return () => {
    document.removeEventListener('visibilitychange', reschedule);
    unsubscribe();
    stop();
  };
}

export function resetStatus(): void {
  stop();
  requestedAt = 0;
  status.counts = null;
}

/** Continues the interval: an answer that is younger than it is not requested again. */
function reschedule(): void {
  stop();
  if (document.hidden || !connection.isReachable) return;
  cancelNext = after(Math.min(pollMs, Math.max(0, requestedAt + pollMs - now())), poll);
}

function stop(): void {
  cancelNext();
  abort.abort();
}

async function poll(): Promise<void> {
  requestedAt = now();
  abort = new AbortController();
  cancelNext = after(pollMs, poll);
  // A failed poll is not shown: the former counts stay until the next one.
  const reply = await call(readStatus, { signal: abort.signal }).catch(() => null);
  if (!reply) return;
  commitCounts(reply);
  recovered.emit();
}

function commitCounts({ TotalVideos, AvailableVideos, ScanningStatus }: Status): void {
  const counts = { totalVideos: TotalVideos, availableVideos: AvailableVideos, scanning: scanningOf(ScanningStatus) };
  if (status.counts) Object.assign(status.counts, counts);
  else status.counts = counts;
}

function scanningOf({ InitialScanComplete, FullScanComplete, BackgroundScanning }: Status['ScanningStatus']): Scanning {
  if (!InitialScanComplete) return 'First scan';
  return BackgroundScanning || !FullScanComplete ? 'In background' : 'Complete';
}
