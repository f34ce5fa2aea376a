import type { Insertable } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { VideosTable } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { Ids } from '../../ids.ts';
import type { Probe } from '../../media/probe.ts';
import type { Prober } from '../../media/prober.ts';
import type { ScannedVideo } from './library-repository.ts';
import { findScanned, insertVideo, listPresent, markMissing, updateVideo } from './library-repository.ts';
import type { LibraryRoot } from './library-root.ts';
import type { FoundFile } from './walk.ts';
import { walk } from './walk.ts';

export interface ScanTools {
  database: Database;
  idSets: IdSets;
  clock: Clock;
  ids: Ids;
  prober: Prober;
}

/** What a scan found; files, but for the two last ones. */
export interface ScanCount {
  found: number;
  playable: number;
  /** New or changed, so that their headers were read. */
  read: number;
  vanished: number;
}

/**
 * Brings the rows of one root in line with its folder. Files whose size and time stamp are known are not opened. Rows are written in slices,
 * each a short transaction, so that whoever else wants to write waits for milliseconds; a scan that dies half-way is continued by the next one.
 * @throws when the folder itself cannot be read
 */
export async function scanRoot(tools: ScanTools, root: LibraryRoot, signal: AbortSignal): Promise<ScanCount> {
  const count: ScanCount = { found: 0, playable: 0, read: 0, vanished: 0 };
  const seen = new Set<number>();
  for await (const files of walk(root.folder)) {
    await scanSlice(tools, root, files, { count, seen, signal });
    signal.throwIfAborted();
  }
  count.vanished = await markVanished(tools, root, seen);
  return count;
}

interface Progress {
  count: ScanCount;
  seen: Set<number>;
  signal: AbortSignal;
}

const readTogether = 32;

async function scanSlice(tools: ScanTools, root: LibraryRoot, files: readonly FoundFile[], { count, seen, signal }: Progress): Promise<void> {
  const known = await findScanned(
    tools.database.reader,
    root.number,
    files.map((file) => file.path),
  );
  const changed = files.filter((file) => !isUnchanged(known.get(file.path), file));
  for (const video of known.values()) seen.add(video.number);
  count.found += files.length;
  count.read += changed.length;
  count.playable += files.filter((file) => isUnchanged(known.get(file.path), file) && known.get(file.path)?.reason === null).length;
  for (let from = 0; from < changed.length && !signal.aborted; from += readTogether) {
    for (const video of await readAndStore(tools, root, changed.slice(from, from + readTogether), known)) {
      seen.add(video.number);
      if (video.isPlayable) count.playable += 1;
    }
  }
}

/** What could not be read last time is tried again. */
function isUnchanged(video: ScannedVideo | undefined, file: FoundFile): boolean {
  if (video === undefined || video.missing_since !== null || video.reason === 'unreadable') return false;
  return video.size === file.size && video.modified_us === file.modifiedUs;
}

interface StoredVideo {
  number: number;
  isPlayable: boolean;
}

async function readAndStore(
  tools: ScanTools,
  root: LibraryRoot,
  files: readonly FoundFile[],
  known: ReadonlyMap<string, ScannedVideo>,
): Promise<StoredVideo[]> {
  const read = await Promise.all(files.map(async (file) => ({ file, facts: toFacts(file, await tools.prober.probe(file.file)) })));
  return tools.idSets.write(async (transaction, changes) => {
    const stored: StoredVideo[] = [];
    const added: number[] = [];
    for (const { file, facts } of read) {
      const knownNumber = known.get(file.path)?.number;
      if (knownNumber !== undefined) await updateVideo(transaction, knownNumber, facts);
      const number = knownNumber ?? (await insertVideo(transaction, toNewVideo(tools, root, file, facts)));
      if (knownNumber === undefined) added.push(number);
      changes.put('available', [number], facts.available === 1);
      stored.push({ number, isPlayable: facts.reason === null });
    }
    await tools.idSets.putUntagged(transaction, changes, added);
    return stored;
  });
}

type Facts = Omit<Insertable<VideosTable>, 'id' | 'root_number' | 'path' | 'filename' | 'created_at'>;

function toFacts(file: FoundFile, probe: Probe): Facts {
  return {
    size: file.size,
    modified_us: file.modifiedUs,
    container: probe.container,
    video_codec: probe.videoCodec,
    audio_codec: probe.audioCodec,
    duration_ms: probe.durationMs,
    width: probe.width,
    height: probe.height,
    reason: probe.reason,
    missing_since: null,
    available: probe.reason === null ? 1 : 0,
  };
}

function toNewVideo({ clock, ids }: ScanTools, root: LibraryRoot, file: FoundFile, facts: Facts): Insertable<VideosTable> {
  return { ...facts, id: ids.long(), root_number: root.number, path: file.path, filename: file.filename, created_at: clock.now() };
}

const pageLength = 1_000;

/** Rows whose file was not met stay, and can no longer be picked: an unplugged disk comes back with its tags. */
async function markVanished({ database, idSets, clock }: ScanTools, root: LibraryRoot, seen: ReadonlySet<number>): Promise<number> {
  let vanished = 0;
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: number[] = await listPresent(database.reader, root.number, after, pageLength);
    const gone = page.filter((number) => !seen.has(number));
    if (gone.length > 0) await idSets.write((transaction, changes) => markMissing(transaction, changes, gone, clock.now()));
    vanished += gone.length;
    after = page.at(-1);
  }
  return vanished;
}
