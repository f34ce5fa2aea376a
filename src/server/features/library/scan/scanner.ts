import type { Clock } from '../../../clock.ts';
import type { DatabaseAddress } from '../../../database/connection.ts';
import type { Env } from '../../../env.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Ids } from '../../../ids.ts';
import type { JobRun } from '../../../jobs/job.ts';
import { JobFailure, JobPostponed } from '../../../jobs/job.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import type { Log } from '../../../log.ts';
import type { Lease } from '../../../nodes/lease.ts';
import type { Nodes } from '../../../nodes/nodes.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import type { StoreFacts } from '../../../storage/stores/store-calls.ts';
import type { LibraryRoots } from '../library-roots.ts';
import { LibraryLink } from './library-link.ts';
import type { ScanOutcome } from './library-scan.ts';
import type { ScanCount } from './scan-run.ts';
import { ScanRetry } from './scan-run.ts';

type PendingRequest = PromiseWithResolvers<ScanOutcome | null>;

export const scanKind = 'scan';
/** People wait for new videos; a scan precedes the work on its results. */
const scanPriority = 20;
/**
 * How often a waiting request is checked for a lost job: the queue may have been unreachable, or
 * another process may have taken the job.
 */
const remindMs = 1_000;

/** A store that was listed within this share of its interval is passed over: a tick may come early. */
const freshShare = 0.9;

const viewersListingMs = 60_000;

const elsewhereEveryMs = 2_000;

/**
 * Runs scans as durable jobs, in a thread of their own, on the node that has the lease; other nodes
 * wait for the rows of those jobs.
 */
export class Scanner {
  private readonly deps: ScannerDeps;
  private readonly link: LibraryLink;
  private readonly reminder: Repetition;
  private readonly listing: Repetition | null;
  private readonly look: Repetition;
  /** The scan of another node. */
  private elsewhere: ScanElsewhere | null = null;
  /** Whether the next scan lists all stores, however short ago they were listed. */
  private listsAll = false;
  /** Measured by `clock.elapsed()`. */
  private listedForViewerAt = Number.NEGATIVE_INFINITY;
  private readonly retry: ScanRetry;
  /**
   * The request that the running or queued scan covers; `following` is the one for the scan after
   * it.
   */
  private current: PendingRequest | null = null;
  private following: PendingRequest | null = null;
  private work: Promise<void> = Promise.resolve();
  private subject = '';
  private isScanning = false;
  private isQueueing = false;
  private isInitialComplete: boolean;
  private isComplete = false;
  private isStopped = false;
  private isWatching = false;
  private readonly progress: ScanProgress;

  constructor(deps: ScannerDeps) {
    this.deps = deps;
    this.isInitialComplete = deps.wasInitialComplete;
    this.progress = new ScanProgress(deps.knownFiles);
    const request = () => this.requestSparing();
    this.retry = new ScanRetry({ request, findAway: () => deps.roots.findAway() });
    const onNoticed = (count: ScanCount) => this.notifyScanned(count);
    this.link = new LibraryLink({
      ...deps,
      data: { address: deps.address, stores: deps.stores.libraries },
      onNoticed,
      onWanted: () => void this.requestSparing(),
    });
    this.reminder = repeat(() => this.requeueWhenLost(), remindMs);
    const { libraries, everyMs } = deps.stores;
    this.listing = libraries.length === 0 ? null : repeat(() => this.listStores(), everyMs);
    this.look = repeat(() => this.lookElsewhere(), elsewhereEveryMs);
    const run = (job: JobRun) => this.runInTurn(job);
    const isOffered = () => deps.lease.isHeld;
    deps.queue.register({ kind: scanKind, lane: 'light', attemptsMax: 3, isOneForAll: true, isOffered, run });
    deps.lease.onChange((isHeld) => void this.follow(isHeld));
  }

  /** Watches the folders while this node has the lease. */
  private async follow(isHeld: boolean): Promise<void> {
    if (this.isStopped) return;
    if (!isHeld) await this.link.rest();
    else if (this.isWatching) void this.requestSparing();
  }

  private async seekLease(): Promise<void> {
    const { lease, nodes, canScan } = this.deps;
    if (canScan) await lease.seek(() => nodes.awayFolders.length <= fewestAway(nodes));
  }

  private async lookElsewhere(): Promise<void> {
    if (!this.deps.lease.isHeld) this.elsewhere = await this.deps.findElsewhere();
  }

  /**
   * Queues a scan; during a queued or running scan, another one follows it.
   * @returns the outcome of the scan that covers this request, or null without one
   */
  request(): Promise<ScanOutcome | null> {
    this.listsAll = true;
    return this.requestSparing();
  }

  /**
   * Requests a scan because a viewer has met a file that is gone or has changed. Stores are listed for
   * that once a minute: anybody can ask for such a file again and again.
   */
  requestForViewer(): void {
    const now = this.deps.clock.elapsed();
    if (now - this.listedForViewerAt >= viewersListingMs) {
      this.listedForViewerAt = now;
      this.listsAll = true;
    }
    void this.requestSparing();
  }

  /** Requests a scan that lists only the stores whose time it is: a listing costs money. */
  private requestSparing(): Promise<ScanOutcome | null> {
    if (this.isStopped) return Promise.resolve(null);
    if (this.current === null) {
      this.current = Promise.withResolvers();
      void this.enqueue();
      return this.current.promise;
    }
    this.following ??= Promise.withResolvers();
    return this.following.promise;
  }

  private listStores(): void {
    if (this.isWatching && this.deps.lease.isHeld) void this.requestSparing();
  }

  /**
   * Requests a scan, after which changes are noticed when they happen.
   * @returns its outcome; null where another node scans
   */
  async watch(): Promise<ScanOutcome | null> {
    await this.seekLease();
    this.isWatching = true;
    if (this.deps.lease.isHeld) return this.request();
    await this.lookElsewhere();
    return null;
  }

  /** The calls of this node's scans to stores, by their places. */
  get storeFacts(): ReadonlyMap<string, StoreFacts> {
    return this.link.storeFacts;
  }

  facts(): ScanFacts {
    const { elsewhere, deps } = this;
    if (!deps.lease.isHeld && !this.isScanning && elsewhere !== null)
      return { ...elsewhere, isComplete: elsewhere.isInitialComplete && !elsewhere.isRunning, found: null };
    const isRunning = this.current !== null;
    const { found, percent } = this.progress;
    const progress = this.isScanning ? percent : null;
    const { isInitialComplete } = this;
    return { isComplete: this.isComplete && !isRunning, isRunning, isInitialComplete, found, progress };
  }

  /** Ends a running scan after its present slice. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.retry.cancel();
    this.reminder.stop();
    this.look.stop();
    this.listing?.stop();
    await this.link.stop();
    this.giveUp();
    await this.work;
  }

  private async enqueue(): Promise<void> {
    const { ids, queue, log } = this.deps;
    // The subject is unique: a job that a dead process has left in the queue must not delay this
    // request.
    this.subject = ids.short();
    this.isQueueing = true;
    await this.seekLease();
    await queue
      .add([{ kind: scanKind, subject: this.subject, priority: scanPriority }])
      .catch((error: unknown) => log.warn({ err: error }, 'a scan could not be queued'));
    this.isQueueing = false;
  }

  /**
   * Queues a lost request again. Another process that took the job may be scanning for this one
   * too, which leaves less to do. A job that an administrator cancelled before it began is not
   * queued again, nor one that ended on the node that has the lease.
   */
  private async requeueWhenLost(): Promise<void> {
    if (!this.isWaiting()) return;
    const { queue } = this.deps;
    const isLost = !(await queue.isActive(scanKind, this.subject).catch(() => true));
    const isCancelled = isLost && (await queue.wasCancelled(scanKind, this.subject).catch(() => false));
    if (!isLost || !this.isWaiting()) return;
    if (isCancelled) this.giveUp();
    else if (this.deps.lease.isHeld) await this.enqueue();
    else this.fulfilElsewhere();
  }

  /** Whether the job is in the queue, as far as this process knows. */
  private isWaiting(): boolean {
    return this.current !== null && !this.isScanning && !this.isQueueing;
  }

  private runInTurn(run: JobRun): Promise<void> {
    const turn = this.work.then(() => this.scanAsRequested(run));
    this.work = turn.catch(() => {});
    return turn;
  }

  /**
   * Scans for all pending requests; a job whose request the previous one has covered does nothing.
   */
  private async scanAsRequested({ signal, report }: JobRun): Promise<void> {
    this.current ??= Promise.withResolvers();
    this.isScanning = true;
    let hasFailed = false;
    while (this.current !== null && !signal.aborted) {
      const outcome = await this.scanOnce(signal, report);
      hasFailed = outcome === null;
      this.fulfil(outcome);
    }
    this.isScanning = false;
    if (signal.aborted) this.giveUp();
    signal.throwIfAborted();
    // The node that has the lease now scans instead.
    if (hasFailed && !this.deps.lease.isHeld) throw new JobPostponed(0);
    if (hasFailed)
      throw new JobFailure(
        'The library could not be looked through; the log says why. It is tried again in half a minute.',
        { isFinal: true },
      );
  }

  private async scanOnce(signal: AbortSignal, report: (progress: number) => void): Promise<ScanOutcome | null> {
    const { roots, stores, demoChannelsFile, ownFolders, clock } = this.deps;
    this.retry.cancel();
    this.isComplete = false;
    this.progress.record(0);
    const scanned = roots.active().filter(({ kind }) => kind !== 'uploads');
    const now = clock.now();
    const listedSince = this.listsAll ? null : now - stores.everyMs * freshShare;
    this.listsAll = false;
    const { nodes } = this.deps;
    const foldersElsewhere = scanned.map(({ folder }) => folder).filter((folder) => isReadElsewhere(nodes, folder));
    const request = { roots: scanned, demoChannelsFile, ownFolders, now, listedSince, foldersElsewhere };
    const onProgress = ({ found }: ScanCount) => {
      this.progress.record(found);
      report(this.progress.percent ?? 0);
    };
    const outcome = await this.link.scan(request, { isWatching: this.isWatching, signal, onProgress });
    if (!signal.aborted) this.recordOutcome(outcome);
    return outcome;
  }

  private recordOutcome(outcome: ScanOutcome | null): void {
    this.retry.plan(outcome);
    if (outcome === null) return;
    this.isComplete = true;
    this.isInitialComplete = true;
    this.progress.end(outcome.found);
    this.notifyScanned(outcome);
  }

  private notifyScanned({ read }: ScanCount): void {
    if (read > 0 && !this.isStopped) this.deps.onScanned?.();
  }

  private fulfil(outcome: ScanOutcome | null): void {
    this.current?.resolve(outcome);
    this.current = this.following;
    this.following = null;
  }

  /** Another node has done what this one asked for. */
  private fulfilElsewhere(): void {
    this.fulfil(null);
    if (this.current !== null) void this.enqueue();
  }

  private giveUp(): void {
    while (this.current !== null) this.fulfil(null);
  }
}

/** The dependencies of the scanner. */
interface ScannerDeps {
  address: DatabaseAddress;
  idSets: Pick<IdSets, 'catchUp'>;
  queue: Pick<JobQueue, 'register' | 'add' | 'isActive' | 'wasCancelled'>;
  ids: Pick<Ids, 'short'>;
  clock: Clock;
  log: Log;
  roots: Pick<LibraryRoots, 'active' | 'findAway'>;
  /** Held by the node that scans. */
  lease: Pick<Lease, 'isHeld' | 'seek' | 'onChange'>;
  nodes: Pick<Nodes, 'live' | 'awayFolders'>;
  /** False for a server that answers calls only, or serves no folders. */
  canScan: boolean;
  /** Reads the state of a scan of another node. */
  findElsewhere(): Promise<ScanElsewhere>;
  demoChannelsFile: string;
  /** The product's own folders of files, which are left out where they lie in the library. */
  ownFolders: readonly string[];
  /** The libraries in stores, and how often they are listed. */
  stores: { libraries: Env['libraryStores']; everyMs: number };
  /** Called after each scan that found new or changed files. */
  onScanned?: () => unknown;
  /** Whether every root was scanned completely before this process started. */
  wasInitialComplete: boolean;
  /** The least number of files that the first scan will find, as far as is known. */
  knownFiles: number;
}

type ScanElsewhere = Pick<ScanFacts, 'isRunning' | 'isInitialComplete' | 'progress'>;

/** The other nodes that could scan. */
function scanners(nodes: Pick<Nodes, 'live'>) {
  return nodes.live().filter(({ state, role, library }) => state === 'ready' && role !== 'web' && library !== null);
}

function fewestAway(nodes: Pick<Nodes, 'live'>): number {
  return Math.min(...scanners(nodes).map(({ away }) => away.length));
}

function isReadElsewhere(nodes: Pick<Nodes, 'live'>, folder: string): boolean {
  return scanners(nodes).some(({ away }) => !away.includes(folder));
}

/** The facts for §3 Status, ScanningStatus, and for §3 Library. */
interface ScanFacts {
  /** The last scan covered everything, and none is running. */
  isComplete: boolean;
  isRunning: boolean;
  /** Every root has been scanned completely at least once. */
  isInitialComplete: boolean;
  /** Files found by the running scan or the last one; null when this process has run none. */
  found: number | null;
  /**
   * A number from 0 to 100; null while this process runs no scan, or has nothing to compare with.
   */
  progress: number | null;
}

/** The progress of a scan, measured by the number of files in the previous one. */
export class ScanProgress {
  private expected: number;
  private foundFiles: number | null = null;

  /** @param expected the number of files that the first scan will find; 0 when unknown */
  constructor(expected: number) {
    this.expected = expected;
  }

  /** Null before the first scan. */
  get found(): number | null {
    return this.foundFiles;
  }

  /**
   * A number from 0 to 99, because there may be more files than expected; null without a number to
   * compare with.
   */
  get percent(): number | null {
    if (this.expected === 0) return null;
    return Math.min(Math.floor(((this.foundFiles ?? 0) / this.expected) * 100), 99);
  }

  record(found: number): void {
    this.foundFiles = found;
  }

  /** Records that the scan covered everything. */
  end(found: number): void {
    this.foundFiles = found;
    this.expected = found;
  }
}
