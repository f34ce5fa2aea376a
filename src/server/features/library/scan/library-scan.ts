import { describedStem } from '../../../media/sidecar-file.ts';
import { videoRepository } from '../../videos/video-repository.ts';
import { TouchedVideos } from '../folder-channels/first-folders.ts';
import type { LibraryFiles } from '../library-files.ts';
import { sortPaths } from '../library-files.ts';
import type { PathRange } from '../library-repository.ts';
import { noteRootMissing } from '../library-roots.ts';
import type { ServedRoot } from '../root-repository.ts';
import { rootRepository } from '../root-repository.ts';
import type { ReadFile } from './changed-files.ts';
import { commitMoved, readChanged } from './changed-files.ts';
import type { ComparedRoot } from './compare-root.ts';
import { bringInLine } from './compare-root.ts';
import { applyDemoChannels } from './demo-channels.ts';
import { knownAt, knownInRange } from './differences.ts';
import type { ScanCount, ScanRun, ScanTools, UnsettledPlace } from './scan-run.ts';
import { noCount } from './scan-run.ts';
import { isUnfinished, scanStore } from './store-scan.ts';
import type { Walk } from './walk.ts';
import { RootUnreadable, walkFolder, walkPlace } from './walk.ts';

export interface ScanRequest {
  roots: readonly ServedRoot[];
  demoChannelsFile: string;
  /** The product's own folders of files, which are no part of a library that they lie in. */
  ownFolders: readonly string[];
  /** Epoch milliseconds. */
  now: number;
  /** Folders that another server can read: that one says which of their videos are missing. */
  foldersElsewhere: readonly string[];
  /** Stores that were listed since are passed over, epoch milliseconds; null for none. */
  listedSince: number | null;
}

/** The result of a scan. */
export interface ScanOutcome extends ScanCount {
  missingFolders: string[];
  durationMs: number;
}

/** Callbacks of a scan in progress. */
export interface ScanListener {
  onProgress(count: ScanCount): void;
  /** Called before a folder of a root is read; the path is '' or ends with a slash. */
  onFolder(root: ServedRoot, folder: string): void;
  /** Called for a path whose folder may be gone or replaced. */
  onReplaced(root: ServedRoot, path: string): void;
  /** Called with a sentence for the operator of the server. */
  onWarning(words: string): void;
}

type Result = ScanCount & { missingFolders: string[]; unsettled: UnsettledPlace[]; touched: TouchedVideos };

/** Scans all roots. @throws the signal's reason when it aborts */
export async function scanLibrary(
  tools: ScanTools,
  request: ScanRequest,
  listener: ScanListener,
  signal: AbortSignal,
): Promise<Result> {
  const run = await beginRun(tools, request, listener, signal);
  const missingFolders: string[] = [];
  const scanned: ServedRoot[] = [];
  const open: ReadFile[] = [];
  for (const root of request.roots) {
    const outcome =
      root.kind === 'store'
        ? await scanStore(tools, run, root, { onWarning: listener.onWarning, listedSince: request.listedSince })
        : await scanUnlessMissing(tools, run, openRoot(tools, request, root, listener));
    if (outcome === 'kept') continue;
    const files = outcome;
    if (files === null && request.foldersElsewhere.includes(root.folder)) {
      missingFolders.push(root.folder);
      continue;
    }
    await noteWhetherMissing(tools, run, root, { isMissing: files === null, listener });
    if (files === null) missingFolders.push(root.folder);
    else if (!isUnfinished(tools, root)) scanned.push(root);
    open.push(...(files ?? []));
  }
  await commitMoved(tools, run, open);
  for (const root of scanned) await endRoot(tools, request, root);
  return { ...run.count, missingFolders, unsettled: run.unsettled, touched: run.touched };
}

/** Scans some paths, by root number; paths of a missing root are skipped. */
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
    const scan = root.kind === 'store' ? null : openRoot(tools, request, root, listener);
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
  const lastNumber = await videoRepository.readLastNumber(reader);
  const touched = new TouchedVideos(roots, lastNumber === 0);
  return { now, signal, count: noCount(), lastNumber, unsettled: [], touched, onProgress };
}

/**
 * Returns null when the root's folder cannot be read, or is empty although it had videos, as an
 * unmounted disk is.
 */
async function scanUnlessMissing(tools: ScanTools, run: ScanRun, scan: RootScan | null): Promise<ReadFile[] | null> {
  if (scan === null) return null;
  const entries = countEntries(scan.walk);
  if (entries === null) return null;
  if (entries === 0 && (await rootRepository.hasPresentVideos(tools.reader, scan.root.number))) return null;
  try {
    return await scanRoot(tools, run, scan);
  } catch (error) {
    if (error instanceof RootUnreadable) return null;
    throw error;
  }
}

function openRoot(
  { files }: ScanTools,
  request: ScanRequest,
  root: ServedRoot,
  { onFolder, onReplaced }: ScanListener,
): RootScan | null {
  try {
    const folder = files.realPath(root.folder).toString();
    const leftOut = listLeftOut(files, request, { root, folder });
    return {
      root,
      walk: { files, root: folder, leftOut, onFolder: (path) => onFolder(root, path) },
      trustsInodes: !files.isRemote(folder),
      onReplaced: (path) => onReplaced(root, path),
    };
  } catch {
    return null;
  }
}

/**
 * The folders below a root that belong to other roots, or hold the product's own files: each video
 * is in one root. If two roots are the same folder, the first one has its videos.
 */
function listLeftOut(
  files: LibraryFiles,
  { roots, ownFolders }: ScanRequest,
  { root, folder }: { root: ServedRoot; folder: string },
): string[] {
  const others = roots.filter(({ kind, number }) => kind !== 'store' && number !== root.number);
  const isOurs = (other: ServedRoot, path: string) => path === folder && other.number > root.number;
  const theirs = others.flatMap((other) => {
    const path = findRealPath(files, other.folder);
    return path === null || isOurs(other, path) ? [] : [path];
  });
  const own = ownFolders.flatMap((one) => findRealPath(files, one) ?? []);
  return [...theirs, ...own].filter((path) => `${path}/`.startsWith(`${folder}/`));
}

/** Null for a folder that does not exist. */
function findRealPath(files: LibraryFiles, folder: string): string | null {
  try {
    return files.realPath(folder).toString();
  } catch {
    return null;
  }
}

/** Null if the folder cannot be read, such as one of another user. */
function countEntries({ files, root }: Walk): number | null {
  try {
    return files.list(root).length;
  } catch {
    return null;
  }
}

async function noteWhetherMissing(
  { reader, write }: ScanTools,
  { now }: ScanRun,
  root: ServedRoot,
  { isMissing, listener }: { isMissing: boolean; listener: ScanListener },
): Promise<void> {
  const wasMissing = (await rootRepository.list(reader)).some(
    ({ number, missingSince }) => number === root.number && missingSince !== null,
  );
  if (isMissing && !wasMissing)
    listener.onWarning(
      root.kind === 'store'
        ? `The library at ${root.folder} is away. It is listed again, each time later.`
        : `The library folder ${root.folder} cannot be read. It is looked for again every half minute.`,
    );
  if (isMissing !== wasMissing) await noteRootMissing(write, root.number, isMissing ? now : null);
}

async function endRoot(
  { write, ids }: ScanTools,
  { now, demoChannelsFile }: ScanRequest,
  root: ServedRoot,
): Promise<void> {
  if (root.kind === 'demo') await applyDemoChannels({ write, ids, now }, root.number, demoChannelsFile);
  await write((transaction) => rootRepository.setScanned(transaction, root.number, now));
}

/** A root whose folder is being scanned. */
interface RootScan {
  root: ServedRoot;
  walk: Walk;
  trustsInodes: boolean;
  /** Called for a path whose folder may be gone or replaced. */
  onReplaced(path: string): void;
}

/**
 * Aligns the videos of one root with its folder. Unchanged files are not opened. Rows are written
 * in short transactions, so that other writers wait for milliseconds; the next scan continues one
 * that was interrupted.
 * @returns files with known bytes, for `commitMoved` after all roots are scanned
 * @throws RootUnreadable
 */
async function scanRoot(tools: ScanTools, run: ScanRun, scan: RootScan): Promise<ReadFile[]> {
  return bringInLine(
    tools,
    run,
    withReading(tools, run, scan),
    walkFolder(scan.walk),
    knownInRange(tools.reader, scan.root.number, { after: '' }),
  );
}

/**
 * Aligns the videos at some paths of a root: files, or folders with everything below them, whether
 * they exist or not.
 */
async function scanPlaces(
  tools: ScanTools,
  run: ScanRun,
  scan: RootScan,
  changed: readonly string[],
): Promise<ReadFile[]> {
  const paths = sortPaths([...new Set([...changed, ...(await listDescribed(tools, scan, changed))])]);
  const places = outermost(paths.map((path) => ({ path, step: walkPlace(scan.walk, path) })));
  const files = places.flatMap(({ step }) => (step === null || step === 'folder' ? [] : [step]));
  const known = await knownAt(
    tools.reader,
    scan.root.number,
    places.map(({ path }) => path),
  );
  const compared = withReading(tools, run, scan);
  const open = await bringInLine(tools, run, compared, files, known);
  for (const { path, step } of places.filter((place) => place.step === null || place.step === 'folder')) {
    scan.onReplaced(path);
    const steps = step === 'folder' ? walkFolder(scan.walk, `${path}/`) : [];
    open.push(
      ...(await bringInLine(
        tools,
        run,
        compared,
        steps,
        knownInRange(tools.reader, scan.root.number, rangeBelow(path)),
      )),
    );
  }
  return open;
}

/** The paths of the known videos that changed files describe. */
async function listDescribed({ reader }: ScanTools, { root }: RootScan, changed: readonly string[]) {
  const described: string[] = [];
  for (const stem of new Set(changed.flatMap((path) => describedStem(path) ?? []))) {
    // `/` is the character after the dot.
    const known = knownInRange(reader, root.number, { after: `${stem}.`, before: `${stem}/` });
    for (let video = await known.current(); video !== null; video = await known.current()) {
      if (video.path.lastIndexOf('.') === stem.length) described.push(video.path);
      known.advance();
    }
  }
  return described;
}

function withReading(tools: ScanTools, run: ScanRun, { root, trustsInodes }: RootScan): ComparedRoot {
  return { root, trustsInodes, read: (changed) => readChanged(tools, run, root, changed) };
}

interface Place {
  path: string;
  step: ReturnType<typeof walkPlace>;
}

/** Drops paths below a folder that is scanned anyway. */
function outermost(places: readonly Place[]): Place[] {
  const folders = new Set(places.filter(({ step }) => step === 'folder').map(({ path }) => path));
  return places.filter(({ path }) => !foldersAbove(path).some((folder) => folders.has(folder)));
}

function foldersAbove(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** `0` is the character after the slash. */
function rangeBelow(path: string): PathRange {
  return { after: `${path}/`, before: `${path}0` };
}
