import { availabilityRepository } from '../availability-repository.ts';
import { alignTouched } from '../folder-channels/folder-alignment.ts';
import type { KnownVideo } from '../library-repository.ts';
import type { ServedRoot } from '../root-repository.ts';
import type { ReadFile } from './changed-files.ts';
import { commitMoved, inSlices, storeFiles } from './changed-files.ts';
import type { ChangedFile, Differences, StoredVideos } from './differences.ts';
import { compare } from './differences.ts';
import type { ScanRun, ScanTools } from './scan-run.ts';
import type { WalkStep } from './walk.ts';

/** A root that is being compared with its videos. */
export interface ComparedRoot {
  root: ServedRoot;
  /** Absent: its files have no inode numbers that mean something. */
  trustsInodes?: boolean;
  /** Reads the headers of new and changed files. */
  read(changed: readonly ChangedFile[]): Promise<ReadFile[]>;
}

/** Files that are decided about at the end of the scan, or earlier beyond this number. */
const maxOpenFiles = 20_000;
/**
 * Channels appear after each slice of this many videos during the first scan of an empty library.
 */
const touchedTogether = 2_000;

/**
 * Compares what a root holds with its videos, in the order of their paths, and stores the
 * differences.
 * @returns files that may have moved here from elsewhere
 */
export async function bringInLine(
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
