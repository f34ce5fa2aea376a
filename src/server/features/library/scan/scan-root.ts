import { markMissing, markReturned } from '../availability-repository.ts';
import { alignTouched } from '../folder-channels/align-folder-channels.ts';
import type { LibraryRoot } from '../paths/library-root.ts';
import { sortPaths } from '../paths/path-order.ts';
import { commitMoved } from './commit-moved.ts';
import type { Differences } from './compare.ts';
import { compare } from './compare.ts';
import { inSlices } from './in-slices.ts';
import type { KnownVideo, PathRange } from './known-repository.ts';
import type { ReadFile } from './read-changed.ts';
import { readChanged } from './read-changed.ts';
import type { ScanRun, ScanTools } from './scan-tools.ts';
import { storeFiles } from './store-files.ts';
import type { StoredVideos } from './stored-videos.ts';
import { knownAt, knownInRange } from './stored-videos.ts';
import type { Walk, WalkStep } from './walk.ts';
import { walkFolder, walkPlace } from './walk.ts';

/** A root that is being scanned. */
export interface RootScan {
  root: LibraryRoot;
  walk: Walk;
  trustsInodes: boolean;
  /** What was a folder may be gone, or another one by now. */
  onReplaced(path: string): void;
}

/** Files whose fate is decided when everything has been looked at; beyond this number, before. */
const maxOpenFiles = 20_000;
/** Of a library that was empty, channels appear while it is scanned, after each so many videos. */
const touchedTogether = 2_000;

/**
 * Brings the videos of one root in line with its folder. What is as it was is not opened. Rows are written in slices,
 * each a short transaction, so that whoever else wants to write waits for milliseconds; a scan that dies half-way is
 * continued by the next one.
 * @returns files whose bytes are known from elsewhere: `commitMoved` is for when all roots have been scanned
 * @throws RootUnreadable
 */
export async function scanRoot(tools: ScanTools, run: ScanRun, scan: RootScan): Promise<ReadFile[]> {
  return bringInLine(
    tools,
    run,
    scan,
    walkFolder(scan.walk),
    knownInRange(tools.reader, scan.root.number, { after: '' }),
  );
}

/** The same for some places of a root: files, or folders with all that is below them, there or gone. */
export async function scanPlaces(
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
  const open = await bringInLine(tools, run, scan, files, known);
  for (const { path, step } of places.filter((place) => place.step === null || place.step === 'folder')) {
    scan.onReplaced(path);
    const steps = step === 'folder' ? walkFolder(scan.walk, `${path}/`) : [];
    open.push(
      ...(await bringInLine(tools, run, scan, steps, knownInRange(tools.reader, scan.root.number, rangeBelow(path)))),
    );
  }
  return open;
}

interface Place {
  path: string;
  step: ReturnType<typeof walkPlace>;
}

/** What is below a folder that is looked at anyway is not looked at twice. */
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
  scan: RootScan,
  steps: Iterable<WalkStep>,
  known: StoredVideos,
): Promise<ReadFile[]> {
  const open: ReadFile[] = [];
  let reading: Promise<ReadFile[]> = Promise.resolve([]);
  for await (const slice of compare(steps, known, scan.trustsInodes)) {
    run.signal.throwIfAborted();
    await noteComings(tools, run, scan.root, slice);
    // The next files are read while those before them are stored.
    const read = await reading;
    reading = readChanged(tools, run, scan.root, slice.changed);
    reading.catch(() => {});
    open.push(...(await storeFiles(tools, run, read)));
    if (run.touched.isAll && run.touched.count >= touchedTogether) await alignTouched(tools, run.touched, run);
    if (open.length >= maxOpenFiles) await commitMoved(tools, run, open.splice(0));
    run.onProgress?.(run.count);
  }
  open.push(...(await storeFiles(tools, run, await reading)));
  return open;
}

/** Videos whose file vanished stay, and can no longer be picked: an unplugged disk comes back with its tags. */
async function noteComings(
  tools: ScanTools,
  run: ScanRun,
  root: LibraryRoot,
  { found, playable, returned, vanished, unread }: Differences,
): Promise<void> {
  run.count.found += found;
  run.count.playable += playable;
  run.count.vanished += vanished.length;
  run.count.unread += unread;
  await inSlices(returned, (slice) =>
    tools.write((transaction, changes) => markReturned(transaction, changes, slice.map(toNumber))),
  );
  for (const { number, path } of returned) run.touched.add({ number, root_number: root.number, path });
  await inSlices(vanished, (slice) =>
    tools.write((transaction, changes) => markMissing(transaction, changes, slice.map(toNumber), run.now)),
  );
}

function toNumber(video: KnownVideo): number {
  return video.number;
}
