import type { ServedRoot } from '../root-repository.ts';
import { rootRepository } from '../root-repository.ts';
import type { ReadFile } from './changed-files.ts';
import { bringInLine } from './compare-root.ts';
import type { ChangedFile } from './differences.ts';
import { knownInRange } from './differences.ts';
import type { ScanRun, ScanTools } from './scan-run.ts';
import type { StoreRoot } from './store-root.ts';
import { RootEmpty } from './store-root.ts';
import { RootUnreadable } from './walk.ts';

/** Listings in a row that may fail before the videos are missing. */
const failuresMax = 3;

/**
 * Scans a library in a store.
 * @returns null if it is missing: three listings have failed, or nothing is there although it had
 * videos; 'kept' if its videos stay as they are
 */
export async function scanStore(
  tools: ScanTools,
  run: ScanRun,
  root: ServedRoot,
  { onWarning, listedSince }: { onWarning(words: string): void; listedSince: number | null },
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
      onWarning(`${store.place} has videos whose names lead nowhere, and are left out: ${store.skipped}.`);
    store.toldSkipped = store.skipped;
    return open;
  } catch (error) {
    if (error instanceof RootEmpty) return null;
    if (!(error instanceof RootUnreadable)) throw error;
    const why = error.cause instanceof Error ? error.cause.message : '';
    if (store.failures === 1) onWarning(`The library at ${store.place} cannot be listed. ${why}`);
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

/** Whether a library in a store has more to read than one scan does. */
export function isUnfinished({ stores }: ScanTools, { folder }: ServedRoot): boolean {
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
