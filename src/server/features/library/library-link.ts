import type { IdSets } from '../../id-sets/id-sets.ts';
import type { Log } from '../../log.ts';
import type { LibraryNews, LibraryThreadData } from './library-messages.ts';
import type { ScanOutcome, ScanRequest } from './scan-library.ts';
import type { ScanCount } from './scan-tools.ts';
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
  let asked: (PromiseWithResolvers<ScanOutcome | null> & { onProgress(count: ScanCount): void }) | null = null;
  let isWatched = false;

  async function hear(news: LibraryNews): Promise<void> {
    if (news.kind === 'progress') asked?.onProgress(news.count);
    else if (news.kind === 'warning') log.warn(news.words);
    else if (news.kind === 'wanted') onWanted();
    else await idSets.follow();
    if (news.kind === 'noticed') onNoticed(news.count);
    if (news.kind === 'scanned') asked?.resolve(news.outcome);
    if (news.kind !== 'failed') return;
    if (news.error !== null) log.error({ err: news.error }, 'the library could not be scanned');
    asked?.resolve(null);
  }

  /** A thread that died left things undone, and watches no more. */
  function onEnd(): void {
    asked?.resolve(null);
    if (isWatched) onWanted();
    isWatched = false;
  }

  return {
    async scan(request, { isWatching, signal, onProgress }) {
      const answer = { ...Promise.withResolvers<ScanOutcome | null>(), onProgress };
      asked = answer;
      if (isWatching) thread.tell({ kind: 'watch' });
      isWatched ||= isWatching;
      thread.tell({ kind: 'scan', request });
      const cancel = () => thread.tell({ kind: 'cancel' });
      signal.addEventListener('abort', cancel);
      try {
        return await answer.promise;
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
