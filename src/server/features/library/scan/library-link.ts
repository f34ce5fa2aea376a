import { Worker } from 'node:worker_threads';
import type { DatabaseAddress } from '../../../database/connection.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Log } from '../../../log.ts';
import type { ScanOutcome, ScanRequest } from './library-scan.ts';
import type { ScanCount } from './scan-run.ts';

export interface LibraryLinkDeps {
  data: LibraryThreadData;
  idSets: Pick<IdSets, 'catchUp'>;
  log: Log;
  /** Changes were seen and have been brought in line. */
  onNoticed(count: ScanCount): void;
  /** Everything should be looked through. */
  onWanted(): void;
}

interface PendingScan extends PromiseWithResolvers<ScanOutcome | null> {
  scan: number;
  onProgress(count: ScanCount): void;
}

/** Requests to the library's thread, and what it reports unasked. */
export class LibraryLink {
  private readonly deps: LibraryLinkDeps;
  private readonly thread: LibraryThread;
  private pending: PendingScan | null = null;
  private scans = 0;
  private isWatched = false;

  constructor(deps: LibraryLinkDeps) {
    this.deps = deps;
    this.thread = createLibraryThread({
      data: deps.data,
      onNews: (news) => void this.receive(news),
      onEnd: (error) => this.handleEnd(error),
    });
  }

  /** One at a time. @returns null when it was aborted, or failed in a way that the log tells of */
  async scan(
    request: ScanRequest,
    {
      isWatching,
      signal,
      onProgress,
    }: { isWatching: boolean; signal: AbortSignal; onProgress(count: ScanCount): void },
  ): Promise<ScanOutcome | null> {
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

  async stop(): Promise<void> {
    await this.thread.stop();
    this.pending?.resolve(null);
  }

  private async receive(news: LibraryNews): Promise<void> {
    if (news.kind === 'progress') this.pending?.onProgress(news.count);
    else if (news.kind === 'warning') this.deps.log.warn(news.words);
    else if (news.kind === 'wanted') this.deps.onWanted();
    else if (news.kind === 'failed') this.fail(news.error, news.scan);
    else await this.applyStored(news);
  }

  /** What was committed counts once the sets in memory hold it; they look for it again by themselves. */
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
   * A thread that died left things undone, and watches no more. A scan that died with it is repeated by whoever asked
   * for it, after a while.
   */
  private handleEnd(error: Error | null): void {
    const wasScanning = this.pending !== null;
    this.fail(error, this.scans);
    if (this.isWatched && !wasScanning) this.deps.onWanted();
    this.isWatched = false;
  }
}

/** What the library's thread is started with. */
export interface LibraryThreadData {
  address: DatabaseAddress;
}

/** To the library's thread. `scan` counts them, so that an answer is never taken for that of another one. */
export type LibraryOrder =
  | { kind: 'scan'; scan: number; request: ScanRequest }
  | { kind: 'cancel' }
  | { kind: 'watch' }
  | { kind: 'stop' };

/** From the library's thread. */
export type LibraryNews =
  | { kind: 'progress'; count: ScanCount }
  /** Something was committed that the sets in memory do not hold yet. */
  | { kind: 'stored' }
  /** Something was seen to change, and has been brought in line. */
  | { kind: 'noticed'; count: ScanCount }
  /** Everything should be looked through: more may have changed than was seen. */
  | { kind: 'wanted' }
  | { kind: 'warning'; words: string }
  | { kind: 'scanned'; scan: number; outcome: ScanOutcome }
  /** That scan ended early: it was cancelled, or `error` says what went wrong. */
  | { kind: 'failed'; scan: number; error: Error | null };

/** The library's thread as the rest of the server sees it. */
interface LibraryThread {
  /** Starts the thread when it does not run. */
  send(order: LibraryOrder): void;
  /** Lets it finish its slice; one that does not come to an end is ended. */
  stop(): Promise<void>;
}

interface LibraryThreadDeps {
  data: LibraryThreadData;
  onNews(news: LibraryNews): void;
  /**
   * It ended by itself: orders sent before are not done, those sent from now on go to another one.
   * @param error what it died of, where that is known
   */
  onEnd(error: Error | null): void;
  /** How long it may take to stop. */
  patienceMs?: number;
}

const patienceMs = 3_000;
/** Paths of a folder of some hundred thousand files, and what waits to be written. */
const memoryMegabytes = 512;

function createLibraryThread({ data, onNews, onEnd, ...more }: LibraryThreadDeps): LibraryThread {
  let thread: { worker: Worker; ended: Promise<void> } | null = null;
  let isStopping = false;

  function start(): Worker {
    const worker = new Worker(new URL('./library-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const end = (error: Error | null) => {
      if (thread?.worker !== worker) return;
      thread = null;
      if (!isStopping) onEnd(error);
    };
    worker.unref();
    worker
      // Under `node --watch` a thread reports its imports, too.
      .on('message', (news: Partial<LibraryNews>) => news.kind !== undefined && onNews(news as LibraryNews))
      // It receives nothing any more, though its 'exit' comes later.
      .on('error', end)
      .once('exit', () => {
        end(null);
        resolve();
      });
    thread = { worker, ended };
    return worker;
  }

  return {
    send(order) {
      if (isStopping) return;
      try {
        (thread?.worker ?? start()).postMessage(order);
      } catch (error) {
        // No memory or no descriptors for a thread: the same as one that died at once.
        onEnd(error as Error);
      }
    },
    async stop() {
      isStopping = true;
      if (thread === null) return;
      const { worker, ended } = thread;
      worker.ref();
      worker.postMessage({ kind: 'stop' } satisfies LibraryOrder);
      const patience = setTimeout(() => void worker.terminate(), more.patienceMs ?? patienceMs);
      await ended;
      clearTimeout(patience);
    },
  };
}
