import type { Log } from '../../log.ts';
import { applyDemoChannels } from './demo-channels.ts';
import type { LibraryRoot } from './library-root.ts';
import { readRoots, setRootScanned } from './root-repository.ts';
import type { LibraryRoots } from './roots.ts';
import { noteRootMissing } from './roots.ts';
import type { ScanCount, ScanTools } from './scan-root.ts';
import { scanRoot } from './scan-root.ts';

/** How one scan of the whole library went. */
export interface ScanOutcome extends ScanCount {
  missingFolders: string[];
  durationMs: number;
}

/** §3 Status, ScanningStatus. */
export interface ScanFacts {
  /** The last scan went through everything, and none runs. */
  isComplete: boolean;
  isRunning: boolean;
  /** Every root has been scanned to its end at least once. */
  isInitialComplete: boolean;
}

export interface Scanner {
  /** Starts a scan; while one runs, another follows it. @returns the outcome of the scan that covers this wish, null when stopped */
  request(): Promise<ScanOutcome | null>;
  facts(): ScanFacts;
  /** Ends a running scan after its present slice. */
  stop(): Promise<void>;
}

export interface ScannerParts extends ScanTools {
  roots: LibraryRoots;
  log: Log;
  demoChannelsFile: string;
  /** Called after each scan that found something new. */
  onScanned?: () => unknown;
  /** Whether every root was scanned to its end before this process began. */
  wasInitialComplete: boolean;
  /** How long until a folder that was not there is looked for again. */
  retryMs?: number;
}

const retryMs = 30_000;

/** Scans in the background, one scan at a time. */
export function createScanner(parts: ScannerParts): Scanner {
  const ending = new AbortController();
  const state = { isInitialComplete: parts.wasInitialComplete, isComplete: false, retry: undefined as NodeJS.Timeout | undefined };
  let running: Promise<ScanOutcome | null> | null = null;
  let next: Promise<ScanOutcome | null> | null = null;

  function start(): Promise<ScanOutcome | null> {
    clearTimeout(state.retry);
    state.isComplete = false;
    const scan = scanAll(parts, ending.signal).then(noteOutcome, noteFailure);
    running = scan.finally(() => {
      running = null;
    });
    return running;
  }

  function noteOutcome(outcome: ScanOutcome): ScanOutcome {
    state.isComplete = true;
    state.isInitialComplete = true;
    if (outcome.missingFolders.length > 0) retryLater();
    if (outcome.read > 0) parts.onScanned?.();
    return outcome;
  }

  function noteFailure(error: unknown): null {
    if (ending.signal.aborted) return null;
    parts.log.error({ err: error }, 'the library could not be scanned');
    retryLater();
    return null;
  }

  function retryLater(): void {
    state.retry = setTimeout(() => scanner.request(), parts.retryMs ?? retryMs).unref();
  }

  function startNext(): Promise<ScanOutcome | null> {
    next = null;
    return ending.signal.aborted ? Promise.resolve(null) : start();
  }

  const scanner: Scanner = {
    request() {
      if (ending.signal.aborted) return Promise.resolve(null);
      if (running === null) return start();
      next ??= running.then(startNext);
      return next;
    },
    facts: () => ({ isComplete: state.isComplete, isRunning: running !== null, isInitialComplete: state.isInitialComplete }),
    async stop() {
      ending.abort();
      clearTimeout(state.retry);
      await running;
    },
  };
  return scanner;
}

async function scanAll(parts: ScannerParts, signal: AbortSignal): Promise<ScanOutcome> {
  const startedAt = parts.clock.elapsed();
  const outcome: ScanOutcome = { found: 0, playable: 0, read: 0, vanished: 0, missingFolders: [], durationMs: 0 };
  for (const root of parts.roots.active()) {
    const count = await scanOne(parts, root, signal);
    if (count === null) outcome.missingFolders.push(root.folder);
    else addCount(outcome, count);
  }
  outcome.durationMs = Math.round(parts.clock.elapsed() - startedAt);
  return outcome;
}

/** Null when the root's folder cannot be read. */
async function scanOne(parts: ScannerParts, root: LibraryRoot, signal: AbortSignal): Promise<ScanCount | null> {
  const count = await scanUnlessMissing(parts, root, signal);
  const wasMissing = (await readRoots(parts.database.reader)).some(({ number, missingSince }) => number === root.number && missingSince !== null);
  const isMissing = count === null;
  if (isMissing && !wasMissing) parts.log.warn(`The library folder ${root.folder} cannot be read. It is looked for again every half minute.`);
  if (isMissing !== wasMissing) await noteRootMissing(parts.database, parts.idSets, root.number, isMissing ? parts.clock.now() : null);
  if (isMissing) return null;
  if (root.kind === 'demo') await applyDemoChannels(parts.idSets, parts.clock, parts.ids, root.number, parts.demoChannelsFile);
  await parts.database.write((transaction) => setRootScanned(transaction, root.number, parts.clock.now()));
  return count;
}

async function scanUnlessMissing(parts: ScannerParts, root: LibraryRoot, signal: AbortSignal): Promise<ScanCount | null> {
  try {
    return await scanRoot(parts, root, signal);
  } catch (error) {
    if (!isMissingFolder(error)) throw error;
    return null;
  }
}

const missingFolder = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EIO', 'ESTALE', 'ENOTCONN', 'EHOSTDOWN', 'ELOOP']);

function isMissingFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && missingFolder.has(String(error.code));
}

function addCount(outcome: ScanOutcome, count: ScanCount): void {
  outcome.found += count.found;
  outcome.playable += count.playable;
  outcome.read += count.read;
  outcome.vanished += count.vanished;
}
