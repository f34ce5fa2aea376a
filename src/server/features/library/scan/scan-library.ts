import { readLastVideoNumber } from '../../videos/video-repository.ts';
import { TouchedVideos } from '../folder-channels/touched-videos.ts';
import type { LibraryRoot } from '../paths/library-root.ts';
import { hasPresentVideos, readRoots, setRootScanned } from '../paths/root-repository.ts';
import { noteRootMissing } from '../paths/roots.ts';
import { commitMoved } from './commit-moved.ts';
import { applyDemoChannels } from './demo-channels.ts';
import type { ReadFile } from './read-changed.ts';
import type { RootScan } from './scan-root.ts';
import { scanPlaces, scanRoot } from './scan-root.ts';
import type { ScanCount, ScanRun, ScanTools, UnsettledPlace } from './scan-tools.ts';
import { noCount } from './scan-tools.ts';
import { RootUnreadable } from './walk.ts';

/** A request to scan the library. */
export interface ScanRequest {
  roots: readonly LibraryRoot[];
  demoChannelsFile: string;
  /** Epoch milliseconds. */
  now: number;
}

/** How one scan went. */
export interface ScanOutcome extends ScanCount {
  missingFolders: string[];
  durationMs: number;
}

/** What is called while a scan is under way. */
export interface ScanListener {
  onProgress(count: ScanCount): void;
  /** Before a folder of a root is read: '' or with a slash at its end. */
  onFolder(root: LibraryRoot, folder: string): void;
  /** What was a folder may be gone, or another one by now. */
  onReplaced(root: LibraryRoot, path: string): void;
  /** In words for whoever runs the server. */
  onWarning(words: string): void;
}

type Result = ScanCount & { missingFolders: string[]; unsettled: UnsettledPlace[]; touched: TouchedVideos };

/** Looks through all roots. @throws the signal's reason when it aborts */
export async function scanLibrary(
  tools: ScanTools,
  request: ScanRequest,
  listener: ScanListener,
  signal: AbortSignal,
): Promise<Result> {
  const run = await beginRun(tools, request, listener, signal);
  const missingFolders: string[] = [];
  const scanned: LibraryRoot[] = [];
  const open: ReadFile[] = [];
  for (const root of request.roots) {
    const files = await scanUnlessMissing(tools, run, root, listener);
    await noteWhetherMissing(tools, run, root, { isMissing: files === null, listener });
    if (files === null) missingFolders.push(root.folder);
    else scanned.push(root);
    open.push(...(files ?? []));
  }
  await commitMoved(tools, run, open);
  for (const root of scanned) await endRoot(tools, request, root);
  return { ...run.count, missingFolders, unsettled: run.unsettled, touched: run.touched };
}

/** Looks at some places, by the number of their root; those of a root that is missing are left as they are. */
export async function scanSomePlaces(
  tools: ScanTools,
  request: ScanRequest,
  places: ReadonlyMap<number, readonly string[]>,
  listener: ScanListener,
  signal: AbortSignal,
): Promise<Result> {
  const run = await beginRun(tools, request, listener, signal);
  const open: ReadFile[] = [];
  for (const root of request.roots) {
    const scan = openRoot(tools, root, listener);
    const paths = places.get(root.number);
    if (scan !== null && paths !== undefined) open.push(...(await scanPlaces(tools, run, scan, paths)));
  }
  await commitMoved(tools, run, open);
  return { ...run.count, missingFolders: [], unsettled: run.unsettled, touched: run.touched };
}

async function beginRun(
  { reader }: ScanTools,
  { roots, now }: ScanRequest,
  { onProgress }: ScanListener,
  signal: AbortSignal,
): Promise<ScanRun> {
  const lastNumber = await readLastVideoNumber(reader);
  const touched = new TouchedVideos(roots, lastNumber === 0);
  return { now, signal, count: noCount(), lastNumber, unsettled: [], touched, onProgress };
}

/** Null when the root's folder cannot be read, or is empty although it had videos: whatever is mounted there is not. */
async function scanUnlessMissing(
  tools: ScanTools,
  run: ScanRun,
  root: LibraryRoot,
  listener: ScanListener,
): Promise<ReadFile[] | null> {
  const scan = openRoot(tools, root, listener);
  if (scan === null) return null;
  try {
    if (tools.files.list(scan.walk.root).length === 0 && (await hasPresentVideos(tools.reader, root.number)))
      return null;
    return await scanRoot(tools, run, scan);
  } catch (error) {
    if (error instanceof RootUnreadable) return null;
    throw error;
  }
}

function openRoot({ files }: ScanTools, root: LibraryRoot, { onFolder, onReplaced }: ScanListener): RootScan | null {
  try {
    const folder = files.realPath(root.folder).toString();
    return {
      root,
      walk: { files, root: folder, onFolder: (path) => onFolder(root, path) },
      trustsInodes: !files.isRemote(folder),
      onReplaced: (path) => onReplaced(root, path),
    };
  } catch {
    return null;
  }
}

async function noteWhetherMissing(
  { reader, write }: ScanTools,
  { now }: ScanRun,
  root: LibraryRoot,
  { isMissing, listener }: { isMissing: boolean; listener: ScanListener },
): Promise<void> {
  const wasMissing = (await readRoots(reader)).some(
    ({ number, missingSince }) => number === root.number && missingSince !== null,
  );
  if (isMissing && !wasMissing)
    listener.onWarning(`The library folder ${root.folder} cannot be read. It is looked for again every half minute.`);
  if (isMissing !== wasMissing) await noteRootMissing(write, root.number, isMissing ? now : null);
}

async function endRoot(
  { write, ids }: ScanTools,
  { now, demoChannelsFile }: ScanRequest,
  root: LibraryRoot,
): Promise<void> {
  if (root.kind === 'demo') await applyDemoChannels({ write, ids, now }, root.number, demoChannelsFile);
  await write((transaction) => setRootScanned(transaction, root.number, now));
}
