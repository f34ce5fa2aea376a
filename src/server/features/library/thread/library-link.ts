import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Log } from '../../../log.ts';
import type { ScanOutcome, ScanRequest } from '../scan/scan-library.ts';
import type { ScanCount } from '../scan/scan-tools.ts';
import type { LibraryNews, LibraryThreadData } from './library-messages.ts';
import type { LibraryThread } from './thread-handle.ts';
import { createLibraryThread } from './thread-handle.ts';

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
