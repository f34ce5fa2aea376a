import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import { openDatabase } from '../../../database/connection.ts';
import { createIds } from '../../../ids.ts';
import { createProber } from '../../../media/prober.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import type { LibraryStore } from '../../../storage/stores/library-store.ts';
import { openLibraryStores } from '../../../storage/stores/library-store.ts';
import { AlignmentAfterScan } from '../folder-channels/folder-alignment.ts';
import { diskFiles } from '../library-files.ts';
import type { LibraryNews, LibraryOrder, LibraryThreadData } from './library-link.ts';
import type { ScanListener, ScanRequest } from './library-scan.ts';
import { scanLibrary, scanSomePlaces } from './library-scan.ts';
import type { LibraryWatch } from './library-watch.ts';
import { createLibraryWatch } from './library-watch.ts';
import type { ScanTools } from './scan-run.ts';
import { createRecordingWrite } from './scan-run.ts';
import { StoreRoot } from './store-root.ts';

type ScanOrder = Extract<LibraryOrder, { kind: 'scan' }>;

/** Monitors ask every few seconds. */
const tellStoresEveryMs = 2_000;

/** The priority of the thread; the scale goes from 0 to 19, the lowest priority. */
const niceness = 10;

/** Executes the orders from the port until a stop order. */
function runLibrary(port: MessagePort, data: LibraryThreadData): void {
  lowerPriority();
  const work = new LibraryWork(port, data);
  port.on('message', (order: LibraryOrder) => work.execute(order));
}

class LibraryWork {
  private readonly port: MessagePort;
  private readonly clock = systemClock;
  private readonly database: Database;
  private readonly headers = createProber();
  private readonly stored = new StoredNews((news) => this.report(news));
  private readonly tools: ScanTools;
  private readonly channels: AlignmentAfterScan;
  private readonly listener: ScanListener;
  private readonly ending = new AbortController();
  private cancelling = new AbortController();
  private work: Promise<void> = Promise.resolve();
  private watch: LibraryWatch | null = null;
  private latest: ScanRequest | null = null;
  private readonly tellStores: Repetition | null = null;

  constructor(port: MessagePort, { address, stores }: LibraryThreadData) {
    this.port = port;
    this.database = openDatabase(address, { isBeside: true });
    const libraryStores = openLibraryStores(stores);
    if (libraryStores.size > 0) this.tellStores = repeat(() => this.reportStores(libraryStores), tellStoresEveryMs);
    const write = createRecordingWrite(this.database, () => this.stored.note());
    this.tools = {
      reader: this.database.reader,
      write,
      ids: createIds(this.clock),
      files: diskFiles,
      headers: this.headers,
      stores: new Map([...libraryStores].map(([place, store]) => [place, new StoreRoot(store, this.headers)])),
    };
    this.channels = new AlignmentAfterScan(this.tools);
    this.listener = {
      onProgress: (count) => this.report({ kind: 'progress', count }),
      onFolder: (root, folder) => this.watch?.cover(root, folder),
      onReplaced: (root, path) => this.watch?.uncover(root, path),
      onWarning: (words) => this.report({ kind: 'warning', words }),
    };
  }

  execute(order: LibraryOrder): void {
    if (order.kind === 'stop') void this.stop();
    if (order.kind === 'watch') this.startWatching();
    if (order.kind === 'cancel') this.cancelling.abort();
    if (order.kind === 'scan') this.queueScan(order);
  }

  private report(news: LibraryNews): void {
    this.port.postMessage(news);
  }

  private reportStores(stores: ReadonlyMap<string, LibraryStore>): void {
    this.report({ kind: 'stores', facts: new Map([...stores].map(([place, store]) => [place, store.facts()])) });
  }

  /** Runs jobs one after another, because two would block each other. */
  private enqueue(job: () => Promise<LibraryNews | null>, onError: (error: Error) => LibraryNews): void {
    this.work = this.work.then(async () => {
      const news = this.ending.signal.aborted ? null : await job().catch((error: unknown) => onError(toError(error)));
      this.stored.flush();
      if (news !== null) this.report(news);
    });
  }

  private queueScan(order: ScanOrder): void {
    this.cancelling = new AbortController();
    const signal = AbortSignal.any([this.cancelling.signal, this.ending.signal]);
    this.enqueue(
      () => this.scanAll(order, signal),
      (error) => ({ kind: 'failed', scan: order.scan, error: signal.aborted ? null : error }),
    );
  }

  private async scanAll({ scan, request }: ScanOrder, signal: AbortSignal): Promise<LibraryNews> {
    this.latest = request;
    const startedAt = this.clock.elapsed();
    const { unsettled, touched, ...result } = await this.channels.aroundAll(
      () => scanLibrary(this.tools, request, this.listener, signal),
      { now: request.now, signal },
    );
    const durationMs = Math.round(this.clock.elapsed() - startedAt);
    this.watch?.noteScanned(
      request.roots.filter(({ kind }) => kind !== 'store'),
      durationMs,
    );
    for (const { rootNumber, path } of unsettled) this.watch?.note(rootNumber, path);
    return { kind: 'scanned', scan, outcome: { ...result, durationMs } };
  }

  private async scanSome(places: Map<number, string[]>): Promise<LibraryNews | null> {
    if (this.latest === null) return null;
    const request = { ...this.latest, now: this.clock.now() };
    const { signal } = this.ending;
    const { unsettled, touched, ...count } = await this.channels.aroundSome(
      () => scanSomePlaces(this.tools, request, places, this.listener, signal),
      { now: request.now, signal },
    );
    for (const { rootNumber, path } of unsettled) this.watch?.note(rootNumber, path);
    return { kind: 'noticed', count };
  }

  private startWatching(): void {
    this.watch ??= createLibraryWatch({
      files: diskFiles,
      clock: this.clock,
      onRest: (places) =>
        this.enqueue(
          () => this.scanSome(places),
          () => ({ kind: 'wanted' }),
        ),
      onWanted: () => this.report({ kind: 'wanted' }),
    });
  }

  private async stop(): Promise<void> {
    this.ending.abort();
    this.watch?.close();
    this.tellStores?.stop();
    await this.headers.close();
    await this.work;
    await this.database.close();
    this.port.close();
  }
}

/**
 * Lowers the priority, so that the kernel gives this thread the time that others leave. Without
 * thread priorities nothing changes.
 */
function lowerPriority(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness);
  } catch {
    // The system is not Linux.
  }
}

const newsEveryMs = 250;

/** Reports stored changes at once, but only a few times a second. */
class StoredNews {
  private readonly report: (news: LibraryNews) => void;
  private timer: NodeJS.Timeout | undefined;
  private isUnreported = false;

  constructor(report: (news: LibraryNews) => void) {
    this.report = report;
  }

  note(): void {
    this.isUnreported = true;
    if (this.timer === undefined) this.flush();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.isUnreported) return;
    this.isUnreported = false;
    this.report({ kind: 'stored' });
    this.timer = setTimeout(() => this.flush(), newsEveryMs).unref();
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/*
 * The library's thread walks, compares, reads and writes with its own connection to the database,
 * so that its work never delays a viewer.
 */
if (parentPort !== null) runLibrary(parentPort, workerData as LibraryThreadData);
