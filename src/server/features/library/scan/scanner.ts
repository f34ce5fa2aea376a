import type { Clock } from '../../../clock.ts';
import type { DatabaseAddress } from '../../../database/connection.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Ids } from '../../../ids.ts';
import type { JobRun } from '../../../jobs/job.ts';
import { JobFailure } from '../../../jobs/job.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import type { Log } from '../../../log.ts';
import { repeat } from '../../../repeat.ts';
import type { LibraryRoots } from '../paths/roots.ts';
import { createLibraryLink } from '../thread/library-link.ts';
import type { ScanOutcome } from './scan-library.ts';
import type { ScanCount } from './scan-tools.ts';

/** §3 Status, ScanningStatus. */
export interface ScanFacts {
  /** The last scan went through everything, and none runs. */
  isComplete: boolean;
  isRunning: boolean;
  /** Every root has been scanned to its end at least once. */
  isInitialComplete: boolean;
}

export interface Scanner {
  /** Queues a scan; while one is queued or runs, another follows it. @returns the outcome of the scan that covers this wish, null without one */
  request(): Promise<ScanOutcome | null>;
  /** From the scan on that this asks for, changes are seen when they happen. @returns its outcome */
  watch(): Promise<ScanOutcome | null>;
  facts(): ScanFacts;
  /** Ends a running scan after its present slice. */
  stop(): Promise<void>;
}

export interface ScannerParts {
  address: DatabaseAddress;
  idSets: Pick<IdSets, 'follow'>;
  queue: Pick<JobQueue, 'register' | 'add' | 'isActive'>;
  ids: Pick<Ids, 'short'>;
  clock: Clock;
  log: Log;
  roots: Pick<LibraryRoots, 'active'>;
  demoChannelsFile: string;
  /** Called after each scan that found something new. */
  onScanned?: () => unknown;
  /** Whether every root was scanned to its end before this process began. */
  wasInitialComplete: boolean;
}

type Wish = PromiseWithResolvers<ScanOutcome | null>;

const scanKind = 'scan';
/** People wait for what is new; before whatever is done with it. */
const priority = 20;
/** How long until a folder that was not there is looked for again. */
const retryMs = 30_000;
/** How often is looked for a wish whose job is gone: the queue could not be reached, or another process took the job for its own. */
const remindMs = 1_000;

/** Scans as durable jobs, one at a time in each process, in a thread of its own. */
export function createScanner(parts: ScannerParts): Scanner {
  const { queue, log } = parts;
  const link = createLibraryLink({ ...parts, data: { address: parts.address }, onNoticed: tellNew, onWanted: () => void scanner.request() });
  const state = { isInitialComplete: parts.wasInitialComplete, isComplete: false, isStopped: false, isWatching: false, lastFound: 0 };
  let wish: Wish | null = null;
  let next: Wish | null = null;
  let work: Promise<void> = Promise.resolve();
  let isAtWork = false;
  let subject = '';
  let isQueueing = false;
  let retry: NodeJS.Timeout | undefined;
  const reminder = repeat(() => (wish === null || isAtWork ? undefined : remind()), remindMs);

  queue.register({ kind: scanKind, lane: 'light', attemptsMax: 3, run: runInTurn });

  async function enqueue(): Promise<void> {
    // A subject of its own: what a process that died has left in the queue must not hold up the wish of this one.
    subject = parts.ids.short();
    isQueueing = true;
    await queue.add([{ kind: scanKind, subject, priority }]).catch((error: unknown) => log.warn({ err: error }, 'a scan could not be queued'));
    isQueueing = false;
  }

  /** Another process that has taken the job may be scanning for this one, too: after it there is less to do. */
  async function remind(): Promise<void> {
    const isOnItsWay = await queue.isActive(scanKind, subject).catch(() => true);
    if (wish !== null && !isAtWork && !isQueueing && !isOnItsWay) await enqueue();
  }

  /** A job that finds its wish fulfilled by the one before it has nothing to do. */
  function runInTurn(run: JobRun): Promise<void> {
    const turn = work.then(() => scanAsWished(run));
    work = turn.catch(() => {});
    return turn;
  }

  async function scanAsWished({ signal, report }: JobRun): Promise<void> {
    wish ??= Promise.withResolvers();
    isAtWork = true;
    let hasFailed = false;
    while (wish !== null && !signal.aborted) {
      const outcome = await scanOnce(signal, report);
      hasFailed = outcome === null;
      fulfil(outcome);
    }
    isAtWork = false;
    if (signal.aborted) giveUp();
    signal.throwIfAborted();
    if (hasFailed) throw new JobFailure('The library could not be looked through; the log says why. It is tried again in half a minute.', { isFinal: true });
  }

  async function scanOnce(signal: AbortSignal, report: (progress: number) => void): Promise<ScanOutcome | null> {
    clearTimeout(retry);
    state.isComplete = false;
    const request = { roots: parts.roots.active(), demoChannelsFile: parts.demoChannelsFile, now: parts.clock.now() };
    const onProgress = ({ found }: ScanCount) => report((found / Math.max(found, state.lastFound, 1)) * 99);
    const outcome = await link.scan(request, { isWatching: state.isWatching, signal, onProgress });
    if (!signal.aborted) noteOutcome(outcome);
    return outcome;
  }

  function noteOutcome(outcome: ScanOutcome | null): void {
    if (outcome === null || outcome.missingFolders.length > 0 || outcome.unread > 0) retryLater();
    if (outcome === null) return;
    state.isComplete = true;
    state.isInitialComplete = true;
    state.lastFound = outcome.found;
    tellNew(outcome);
  }

  function tellNew({ read }: ScanCount): void {
    if (read > 0 && !state.isStopped) parts.onScanned?.();
  }

  function retryLater(): void {
    clearTimeout(retry);
    retry = setTimeout(() => void scanner.request(), retryMs).unref();
  }

  function fulfil(outcome: ScanOutcome | null): void {
    wish?.resolve(outcome);
    wish = next;
    next = null;
  }

  function giveUp(): void {
    while (wish !== null) fulfil(null);
  }

  const scanner: Scanner = {
    request() {
      if (state.isStopped) return Promise.resolve(null);
      if (wish === null) {
        wish = Promise.withResolvers();
        void enqueue();
        return wish.promise;
      }
      next ??= Promise.withResolvers();
      return next.promise;
    },
    watch() {
      state.isWatching = true;
      return scanner.request();
    },
    facts: () => ({ isComplete: state.isComplete && wish === null, isRunning: wish !== null, isInitialComplete: state.isInitialComplete }),
    async stop() {
      state.isStopped = true;
      clearTimeout(retry);
      reminder.stop();
      await link.stop();
      giveUp();
      await work;
    },
  };
  return scanner;
}
