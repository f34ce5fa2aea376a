import { Worker } from 'node:worker_threads';
import type { DatabaseAddress } from '../../../database/connection.ts';
import type { Env } from '../../../env.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Log } from '../../../log.ts';
import type { StoreFacts } from '../../../storage/stores/store-calls.ts';
import type { ScanOutcome, ScanRequest } from './library-scan.ts';
import type { ScanCount } from './scan-run.ts';

export interface LibraryLinkDeps {
  data: LibraryThreadData;
  idSets: Pick<IdSets, 'catchUp'>;
  log: Log;
  /** Called when noticed changes have been stored. */
  onNoticed(count: ScanCount): void;
  /** Called when the whole library should be scanned. */
  onWanted(): void;
}

interface PendingScan extends PromiseWithResolvers<ScanOutcome | null> {
  scan: number;
  onProgress(count: ScanCount): void;
}

/** Sends requests to the library's thread, and receives its reports. */
export class LibraryLink {
  private readonly deps: LibraryLinkDeps;
  private readonly thread: LibraryThread;
  private pending: PendingScan | null = null;
  private scans = 0;
  private isWatched = false;
  /** The thread has last told these facts of its calls to stores; the keys are their places. */
  storeFacts: ReadonlyMap<string, StoreFacts> = new Map();
  private resting: Promise<void> = Promise.resolve();

  constructor(deps: LibraryLinkDeps) {
    this.deps = deps;
    this.thread = createLibraryThread({
      data: deps.data,
      onNews: (news) => void this.receive(news),
      onEnd: (error) => this.handleEnd(error),
    });
  }

  /**
   * Runs a scan; only one runs at a time.
   * @returns null when it was aborted, or failed with an entry in the log
   */
  async scan(
    request: ScanRequest,
    {
      isWatching,
      signal,
      onProgress,
    }: { isWatching: boolean; signal: AbortSignal; onProgress(count: ScanCount): void },
  ): Promise<ScanOutcome | null> {
    await this.resting;
    this.scans += 1;
    const pending = { ...Promise.withResolvers<ScanOutcome | null>(), scan: this.scans, onProgress };
    this.pending = pending;
    if (isWatching) this.thread.send({ kind: 'watch' });
    this.isWatched ||= isWatching;
    this.thread.send({ kind: 'scan', scan: pending.scan, request });
    const cancel = () => this.thread.send({ kind: 'cancel' });
    signal.addEventListener('abort', cancel);
    try {
      return await pending.promise;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.pending = null;
    }
  }

  /** Ends a running scan and the watching, until the next scan. */
  rest(): Promise<void> {
    this.isWatched = false;
    this.resting = this.thread.rest().then(() => this.pending?.resolve(null));
    return this.resting;
  }

  async stop(): Promise<void> {
    await this.thread.stop();
    this.pending?.resolve(null);
  }

  private async receive(news: LibraryNews): Promise<void> {
    if (news.kind === 'progress') this.pending?.onProgress(news.count);
    else if (news.kind === 'stores') this.storeFacts = news.facts;
    else if (news.kind === 'warning') this.deps.log.warn(news.words);
    else if (news.kind === 'wanted') this.deps.onWanted();
    else if (news.kind === 'failed') this.fail(news.error, news.scan);
    else await this.applyStored(news);
  }

  /**
   * Reports changes once the sets in memory include them; on a failure the sets catch up later by
   * themselves.
   */
  private async applyStored(news: Extract<LibraryNews, { kind: 'stored' | 'noticed' | 'scanned' }>): Promise<void> {
    const { idSets, log, onNoticed } = this.deps;
    await idSets
      .catchUp()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the library has changed; its changes are read again in a moment'),
      );
    if (news.kind === 'noticed') onNoticed(news.count);
    if (news.kind === 'scanned') this.resolve(news.scan, news.outcome);
  }

  private fail(error: Error | null, scan: number): void {
    if (error !== null) this.deps.log.error({ err: error }, 'the library could not be scanned');
    this.resolve(scan, null);
  }

  private resolve(scan: number, outcome: ScanOutcome | null): void {
    if (this.pending?.scan === scan) this.pending.resolve(outcome);
  }

  /**
   * Handles the end of the thread: its work is incomplete, and it no longer watches. Whoever
   * requested a scan repeats it later.
   */
  private handleEnd(error: Error | null): void {
    const wasScanning = this.pending !== null;
    this.fail(error, this.scans);
    if (this.isWatched && !wasScanning) this.deps.onWanted();
    this.isWatched = false;
  }
}

/** The data that the library's thread starts with. */
export interface LibraryThreadData {
  address: DatabaseAddress;
  /** The libraries in stores, with what opens them. */
  stores: Env['libraryStores'];
}

/**
 * A message to the library's thread. `scan` numbers the scans, so that no answer is taken for that
 * of another scan.
 */
export type LibraryOrder =
  | { kind: 'scan'; scan: number; request: ScanRequest }
  | { kind: 'cancel' }
  | { kind: 'watch' }
  | { kind: 'stop' };

/** A message from the library's thread. */
export type LibraryNews =
  | { kind: 'progress'; count: ScanCount }
  /** Changes are committed that the sets in memory do not include yet. */
  | { kind: 'stored' }
  /** Noticed changes have been stored. */
  | { kind: 'noticed'; count: ScanCount }
  /** The whole library should be scanned: more may have changed than was noticed. */
  | { kind: 'wanted' }
  | { kind: 'warning'; words: string }
  /** Calls to stores, counted since the thread started. */
  | { kind: 'stores'; facts: ReadonlyMap<string, StoreFacts> }
  | { kind: 'scanned'; scan: number; outcome: ScanOutcome }
  /** The scan ended early: it was cancelled, or failed with `error`. */
  | { kind: 'failed'; scan: number; error: Error | null };

/** A handle on the library's thread. */
interface LibraryThread {
  /** Starts the thread if it is not running. */
  send(order: LibraryOrder): void;
  /** Lets the thread finish its slice, and terminates it after `patienceMs`. */
  rest(): Promise<void>;
  /** Likewise, and starts none any more. */
  stop(): Promise<void>;
}

interface LibraryThreadDeps {
  data: LibraryThreadData;
  onNews(news: LibraryNews): void;
  /**
   * Called when the thread ended by itself: earlier orders are lost, later ones go to a new thread.
   * @param error the cause, if known
   */
  onEnd(error: Error | null): void;
  /** The time that the thread has to stop. */
  patienceMs?: number;
}

const patienceMs = 3_000;
/** Memory for the paths of a folder with some hundred thousand files, and for unwritten rows. */
const memoryMegabytes = 512;

function createLibraryThread({ data, onNews, onEnd, ...more }: LibraryThreadDeps): LibraryThread {
  let thread: { worker: Worker; ended: Promise<void>; isExpectedToEnd: boolean } | null = null;
  let isStopping = false;

  function start(): Worker {
    const worker = new Worker(new URL('./library-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const end = (error: Error | null) => {
      if (thread?.worker !== worker) return;
      const { isExpectedToEnd } = thread;
      thread = null;
      if (!isExpectedToEnd) onEnd(error);
    };
    worker.unref();
    worker
      // A thread also reports its imports under `node --watch`.
      .on('message', (news: Partial<LibraryNews>) => news.kind !== undefined && onNews(news as LibraryNews))
      // The thread receives no more messages, although 'exit' follows later.
      .on('error', end)
      .once('exit', () => {
        end(null);
        resolve();
      });
    thread = { worker, ended, isExpectedToEnd: false };
    return worker;
  }

  async function rest(): Promise<void> {
    if (thread === null) return;
    thread.isExpectedToEnd = true;
    const { worker, ended } = thread;
    worker.ref();
    worker.postMessage({ kind: 'stop' } satisfies LibraryOrder);
    const patience = setTimeout(() => void worker.terminate(), more.patienceMs ?? patienceMs);
    await ended;
    clearTimeout(patience);
  }

  return {
    send(order) {
      if (isStopping) return;
      try {
        (thread?.worker ?? start()).postMessage(order);
      } catch (error) {
        // Memory or descriptors for a thread are lacking: it is handled like one that ended at
        // once.
        onEnd(error as Error);
      }
    },
    rest,
    stop() {
      isStopping = true;
      return rest();
    },
  };
}
