import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Log } from '../../../log.ts';
import type { ScanOutcome, ScanRequest } from '../scan/scan-library.ts';
import type { ScanCount } from '../scan/scan-tools.ts';
import type { LibraryNews, LibraryThreadData } from './library-messages.ts';
import { createLibraryThread } from './thread-handle.ts';

/** Questions to the library's thread and what it says unasked. */
export interface LibraryLink {
  /** One at a time. @returns null when it was aborted, or went wrong in a way that the log tells of */
  scan(request: ScanRequest, order: { isWatching: boolean; signal: AbortSignal; onProgress(count: ScanCount): void }): Promise<ScanOutcome | null>;
  stop(): Promise<void>;
}

export interface LibraryLinkParts {
  data: LibraryThreadData;
  idSets: Pick<IdSets, 'follow'>;
  log: Log;
  /** Changes were seen and have been brought in line. */
  onNoticed(count: ScanCount): void;
  /** Everything should be looked through. */
  onWanted(): void;
}

export function createLibraryLink({ data, idSets, log, onNoticed, onWanted }: LibraryLinkParts): LibraryLink {
  const thread = createLibraryThread({ data, onNews: (news) => void hear(news), onEnd });
  let asked: (PromiseWithResolvers<ScanOutcome | null> & { scan: number; onProgress(count: ScanCount): void }) | null = null;
  let scans = 0;
  let isWatched = false;

  async function hear(news: LibraryNews): Promise<void> {
    if (news.kind === 'progress') asked?.onProgress(news.count);
    else if (news.kind === 'warning') log.warn(news.words);
    else if (news.kind === 'wanted') onWanted();
    else if (news.kind === 'failed') fail(news.error, news.scan);
    else await takeIn(news);
  }

  /** What was committed counts once the sets in memory hold it; they look for it again by themselves. */
  async function takeIn(news: Extract<LibraryNews, { kind: 'stored' | 'noticed' | 'scanned' }>): Promise<void> {
    await idSets.follow().catch((error: unknown) => log.warn({ err: error }, 'the library has changed; its changes are read again in a moment'));
    if (news.kind === 'noticed') onNoticed(news.count);
    if (news.kind === 'scanned') answer(news.scan, news.outcome);
  }

  function fail(error: Error | null, scan: number): void {
    if (error !== null) log.error({ err: error }, 'the library could not be scanned');
    answer(scan, null);
  }

  function answer(scan: number, outcome: ScanOutcome | null): void {
    if (asked?.scan === scan) asked.resolve(outcome);
  }

  /** A thread that died left things undone, and watches no more. A scan that died with it is repeated by whoever asked for it, after a while. */
  function onEnd(error: Error | null): void {
    const wasScanning = asked !== null;
    fail(error, scans);
    if (isWatched && !wasScanning) onWanted();
    isWatched = false;
  }

  return {
    async scan(request, { isWatching, signal, onProgress }) {
      scans += 1;
      const question = { ...Promise.withResolvers<ScanOutcome | null>(), scan: scans, onProgress };
      asked = question;
      if (isWatching) thread.tell({ kind: 'watch' });
      isWatched ||= isWatching;
      thread.tell({ kind: 'scan', scan: question.scan, request });
      const cancel = () => thread.tell({ kind: 'cancel' });
      signal.addEventListener('abort', cancel);
      try {
        return await question.promise;
      } finally {
        signal.removeEventListener('abort', cancel);
        asked = null;
      }
    },
    async stop() {
      await thread.stop();
      asked?.resolve(null);
    },
  };
}
