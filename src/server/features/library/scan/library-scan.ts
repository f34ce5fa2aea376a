import { videoRepository } from '../../videos/video-repository.ts';
import { availabilityRepository } from '../availability-repository.ts';
import { TouchedVideos } from '../folder-channels/first-folders.ts';
import { alignTouched } from '../folder-channels/folder-alignment.ts';
import { sortPaths } from '../library-files.ts';
import type { KnownVideo, PathRange } from '../library-repository.ts';
import { noteRootMissing } from '../library-roots.ts';
import type { ServedRoot } from '../root-repository.ts';
import { rootRepository } from '../root-repository.ts';
import type { ReadFile } from './changed-files.ts';
import { commitMoved, inSlices, readChanged, storeFiles } from './changed-files.ts';
import { applyDemoChannels } from './demo-channels.ts';
import type { ChangedFile, Differences, StoredVideos } from './differences.ts';
import { compare, knownAt, knownInRange } from './differences.ts';
import type { ScanCount, ScanRun, ScanTools, UnsettledPlace } from './scan-run.ts';
import { noCount } from './scan-run.ts';
import type { StoreRoot } from './store-root.ts';
import { RootEmpty } from './store-root.ts';
import type { Walk, WalkStep } from './walk.ts';
import { RootUnreadable, walkFolder, walkPlace } from './walk.ts';

export interface ScanRequest {
  roots: readonly ServedRoot[];
  demoChannelsFile: string;
  /** Epoch milliseconds. */
  now: number;
  /** Folders that another server can read: here they are not mounted, which says nothing about their videos. */
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
        ? await scanStore(tools, run, root, { listener, listedSince: request.listedSince })
        : await scanUnlessMissing(tools, run, root, listener);
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
    const scan = root.kind === 'store' ? null : openRoot(tools, root, listener);
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
async function scanUnlessMissing(
  tools: ScanTools,
  run: ScanRun,
  root: ServedRoot,
  listener: ScanListener,
): Promise<ReadFile[] | null> {
  const scan = openRoot(tools, root, listener);
  if (scan === null) return null;
  const entries = countEntries(scan.walk);
  if (entries === null) return null;
  if (entries === 0 && (await rootRepository.hasPresentVideos(tools.reader, root.number))) return null;
  try {
    return await scanRoot(tools, run, scan);
  } catch (error) {
    if (error instanceof RootUnreadable) return null;
    throw error;
  }
}

/** Listings in a row that may fail before the videos are missing: they come half a minute apart. */
const failuresMax = 3;

/**
 * Scans a library in a store.
 * @returns null if it is missing: three listings have failed, or nothing is there although it had
 * videos; 'kept' if its videos stay as they are
 */
async function scanStore(
  tools: ScanTools,
  run: ScanRun,
  root: ServedRoot,
  { listener, listedSince }: { listener: ScanListener; listedSince: number | null },
): Promise<ReadFile[] | null | 'kept'> {
  const store = tools.stores?.get(root.folder);
  const known = (await rootRepository.list(tools.reader)).find(({ number }) => number === root.number);
  if (store === undefined || known === undefined) return 'kept';
  if (store.isFresh(known, listedSince)) return keepVideos(tools, run, root);
  try {
    const mayBeEmpty = !(await rootRepository.hasPresentVideos(tools.reader, root.number));
    const compared = { root, read: (changed: readonly ChangedFile[]) => readStored(run, root, store, changed) };
    const known = knownInRange(tools.reader, root.number, { after: '' });
    const open = await bringInLine(tools, run, compared, store.walk(mayBeEmpty), known);
    if (store.skipped > store.toldSkipped)
      listener.onWarning(`${store.place} has videos whose names lead nowhere, and are left out: ${store.skipped}.`);
    store.toldSkipped = store.skipped;
    return open;
  } catch (error) {
    if (error instanceof RootEmpty) return null;
    if (!(error instanceof RootUnreadable)) throw error;
    const why = error.cause instanceof Error ? error.cause.message : '';
    if (store.failures === 1) listener.onWarning(`The library at ${store.place} cannot be listed. ${why}`);
    if (store.failures >= failuresMax || known.missingSince !== null) return null;
    // Another scan follows soon.
    run.count.unread += 1;
    return keepVideos(tools, run, root);
  }
}

async function keepVideos({ reader }: ScanTools, { count }: ScanRun, { number }: ServedRoot): Promise<'kept'> {
  const { found, playable } = await rootRepository.countPresent(reader, number);
  count.found += found;
  count.playable += playable;
  return 'kept';
}

function isUnfinished({ stores }: ScanTools, { folder }: ServedRoot): boolean {
  return stores?.get(folder)?.isUnfinished ?? false;
}

/** Reads the headers of new and changed objects. */
async function readStored(
  { count }: ScanRun,
  root: ServedRoot,
  store: StoreRoot,
  changed: readonly ChangedFile[],
): Promise<ReadFile[]> {
  const readings = await store.readHeaders(changed.map(({ file }) => file));
  count.read += changed.length;
  count.unread += changed.length - readings.size;
  return changed.flatMap((change) => {
    const reading = readings.get(change.file);
    return reading === undefined ? [] : [{ ...change, root, reading }];
  });
}

function openRoot({ files }: ScanTools, root: ServedRoot, { onFolder, onReplaced }: ScanListener): RootScan | null {
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
    listener.onWarning(`The library folder ${root.folder} cannot be read. It is looked for again every half minute.`);
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

/** A root that is being compared with its videos. */
interface ComparedRoot {
  root: ServedRoot;
  /** Absent: its files have no inode numbers that mean something. */
  trustsInodes?: boolean;
  /** Reads the headers of new and changed files. */
  read(changed: readonly ChangedFile[]): Promise<ReadFile[]>;
}

/** A root whose folder is being scanned. */
interface RootScan {
  root: ServedRoot;
  walk: Walk;
  trustsInodes: boolean;
  /** Called for a path whose folder may be gone or replaced. */
  onReplaced(path: string): void;
}

/** Files that are decided about at the end of the scan, or earlier beyond this number. */
const maxOpenFiles = 20_000;
/**
 * Channels appear after each slice of this many videos during the first scan of an empty library.
 */
const touchedTogether = 2_000;

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
  paths: readonly string[],
): Promise<ReadFile[]> {
  const places = outermost(sortPaths([...paths]).map((path) => ({ path, step: walkPlace(scan.walk, path) })));
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

async function bringInLine(
  tools: ScanTools,
  run: ScanRun,
  scan: ComparedRoot,
  steps: Iterable<WalkStep> | AsyncIterable<WalkStep>,
  known: StoredVideos,
): Promise<ReadFile[]> {
  const open: ReadFile[] = [];
  let reading: Promise<ReadFile[]> = Promise.resolve([]);
  for await (const slice of compare(steps, known, scan.trustsInodes ?? false)) {
    run.signal.throwIfAborted();
    await noteComings(tools, run, scan.root, slice);
    // The next files are read while the previous ones are stored.
    const read = await reading;
    reading = scan.read(slice.changed);
    reading.catch(() => {});
    open.push(...(await storeFiles(tools, run, read)));
    if (run.touched.isAll && run.touched.count >= touchedTogether) await alignTouched(tools, run.touched, run);
    if (open.length >= maxOpenFiles) await commitMoved(tools, run, open.splice(0));
    run.onProgress?.(run.count);
  }
  open.push(...(await storeFiles(tools, run, await reading)));
  return open;
}

/**
 * Records returned and missing files. Videos without a file stay, but are unavailable: a disk that
 * is connected again brings its tags back.
 */
async function noteComings(
  tools: ScanTools,
  run: ScanRun,
  root: ServedRoot,
  { found, playable, returned, vanished, unread }: Differences,
): Promise<void> {
  run.count.found += found;
  run.count.playable += playable;
  run.count.vanished += vanished.length;
  run.count.unread += unread;
  await inSlices(returned, (slice) =>
    tools.write((transaction, changes) =>
      availabilityRepository.markReturned(transaction, changes, slice.map(toNumber)),
    ),
  );
  for (const { number, path } of returned) run.touched.add({ number, root_number: root.number, path });
  await inSlices(vanished, (slice) =>
    tools.write((transaction, changes) =>
      availabilityRepository.markMissing(transaction, changes, slice.map(toNumber), run.now),
    ),
  );
}

function toNumber(video: KnownVideo): number {
  return video.number;
}
