import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../../../clock.ts';
import { openDatabase } from '../../../database/connection.ts';
import { createIds } from '../../../ids.ts';
import { createProber } from '../../../media/probe/prober.ts';
import { diskFiles } from '../library-files.ts';
import type { ScanListener, ScanRequest } from '../scan/scan-library.ts';
import { scanLibrary, scanSomePlaces } from '../scan/scan-library.ts';
import type { ScanTools } from '../scan/scan-tools.ts';
import type { LibraryWatch } from '../watch/watch-library.ts';
import { createLibraryWatch } from '../watch/watch-library.ts';
import type { LibraryNews, LibraryOrder, LibraryThreadData } from './library-messages.ts';
import { createRecordingWrite } from './recording-write.ts';

type ScanOrder = Extract<LibraryOrder, { kind: 'scan' }>;

/** Of 0 to 19. */
const politeness = 10;

/** Does what it is told through the port, until it is told to stop. */
export function runLibrary(port: MessagePort, { address }: LibraryThreadData): void {
  stepBack();
  const tell = (news: LibraryNews) => port.postMessage(news);
  const clock = systemClock;
  const database = openDatabase(address);
  const headers = createProber();
  const stored = createStoredNews(tell);
  const write = createRecordingWrite(database, stored.note);
  const tools: ScanTools = { reader: database.reader, write, ids: createIds(clock), files: diskFiles, headers };
  const ending = new AbortController();
  let cancelling = new AbortController();
  let work: Promise<void> = Promise.resolve();
  let watch: LibraryWatch | null = null;
  let latest: ScanRequest | null = null;
  const listener: ScanListener = {
    onProgress: (count) => tell({ kind: 'progress', count }),
    onFolder: (root, folder) => watch?.cover(root, folder),
    onReplaced: (root, path) => watch?.uncover(root, path),
    onWarning: (words) => tell({ kind: 'warning', words }),
  };

  /** One after the other: two at once would stand in each other's way. */
  function doNext(job: () => Promise<LibraryNews | null>, onError: (error: Error) => LibraryNews): void {
    work = work.then(async () => {
      const news = ending.signal.aborted ? null : await job().catch((error: unknown) => onError(toError(error)));
      stored.tellNow();
      if (news !== null) tell(news);
    });
  }

  async function scanAll({ scan, request }: ScanOrder, signal: AbortSignal): Promise<LibraryNews> {
    latest = request;
    const startedAt = clock.elapsed();
    const { unsettled, ...result } = await scanLibrary(tools, request, listener, signal);
    const durationMs = Math.round(clock.elapsed() - startedAt);
    watch?.noteScanned(request.roots, durationMs);
    for (const { rootNumber, path } of unsettled) watch?.note(rootNumber, path);
    return { kind: 'scanned', scan, outcome: { ...result, durationMs } };
  }

  async function scanSome(places: Map<number, string[]>): Promise<LibraryNews | null> {
    if (latest === null) return null;
    const { unsettled, ...count } = await scanSomePlaces(tools, { ...latest, now: clock.now() }, places, listener, ending.signal);
    for (const { rootNumber, path } of unsettled) watch?.note(rootNumber, path);
    return { kind: 'noticed', count };
  }

  function startWatching(): void {
    watch ??= createLibraryWatch({
      files: diskFiles,
      clock,
      onRest: (places) =>
        doNext(
          () => scanSome(places),
          () => ({ kind: 'wanted' }),
        ),
      onWanted: () => tell({ kind: 'wanted' }),
    });
  }

  async function stop(): Promise<void> {
    ending.abort();
    watch?.close();
    await headers.close();
    await work;
    await database.close();
    port.close();
  }

  port.on('message', (order: LibraryOrder) => {
    if (order.kind === 'stop') void stop();
    if (order.kind === 'watch') startWatching();
    if (order.kind === 'cancel') cancelling.abort();
    if (order.kind !== 'scan') return;
    cancelling = new AbortController();
    const signal = AbortSignal.any([cancelling.signal, ending.signal]);
    doNext(
      () => scanAll(order, signal),
      (error) => ({ kind: 'failed', scan: order.scan, error: signal.aborted ? null : error }),
    );
  });
}

/** The kernel gives a thread that is nice what others leave. Where threads have no priority of their own, nothing is lost. */
function stepBack(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), politeness);
  } catch {
    // Not Linux.
  }
}

const newsEveryMs = 250;

/** Tells of what was stored at once, but only a few times a second. */
function createStoredNews(tell: (news: LibraryNews) => void): { note(): void; tellNow(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isUntold = false;

  function tellNow(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!isUntold) return;
    isUntold = false;
    tell({ kind: 'stored' });
    timer = setTimeout(tellNow, newsEveryMs).unref();
  }

  return {
    note() {
      isUntold = true;
      if (timer === undefined) tellNow();
    },
    tellNow,
  };
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
