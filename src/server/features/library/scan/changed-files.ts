import type { FileReading } from '../../../media/file-reading.ts';
import { isUnread } from '../../../media/unplayable.ts';
import { availabilityRepository } from '../availability-repository.ts';
import { firstFolderOf } from '../folder-channels/first-folders.ts';
import { followRenamed } from '../folder-channels/folder-channels.ts';
import { noteNewVideos } from '../folder-channels/link-differences.ts';
import { filePathOf } from '../library-files.ts';
import type { NewVideo, PlacedVideo, VideoFacts } from '../library-repository.ts';
import { libraryRepository, toReadFacts } from '../library-repository.ts';
import type { ServedRoot } from '../root-repository.ts';
import type { ChangedFile } from './differences.ts';
import type { ScanRun, ScanTools } from './scan-run.ts';
import type { FoundFile } from './walk.ts';
import { fileNameOf } from './walk.ts';

/** A new or changed file with the facts from its bytes. */
export interface ReadFile extends ChangedFile {
  root: ServedRoot;
  reading: FileReading;
}

/**
 * Reads the headers of files. A file that changes meanwhile is being written or has gone: it is not
 * stored, and is inspected again later.
 */
export async function readChanged(
  tools: ScanTools,
  run: ScanRun,
  root: ServedRoot,
  changed: readonly ChangedFile[],
): Promise<ReadFile[]> {
  const described = changed.filter(({ file }) => file.textsUs !== null).map(({ file }) => file.file);
  const files = changed.map(({ file }) => file.file);
  const readings = await tools.headers.read(files, new Set(described));
  run.count.read += changed.length;
  const read = changed.flatMap((change, index) => toReadFile(root, change, readings[index]));
  const settled = read.filter(({ file }) => isSettled(tools, file));
  const paths = new Set(settled.map(({ file }) => file.path));
  for (const { file } of changed)
    if (!paths.has(file.path)) run.unsettled.push({ rootNumber: root.number, path: file.path });
  return settled;
}

function toReadFile(root: ServedRoot, change: ChangedFile, reading: FileReading | undefined): ReadFile[] {
  return reading === undefined ? [] : [{ ...change, root, reading }];
}

function isSettled({ files }: ScanTools, { file, size, modifiedUs, inode }: FoundFile): boolean {
  try {
    const facts = files.follow(file);
    return facts?.kind === 'file' && facts.size === size && facts.modifiedUs === modifiedUs && facts.inode === inode;
  } catch {
    return false;
  }
}

/**
 * Stores files.
 * @returns the files that may have been moved, which only the end of the scan can tell
 */
export async function storeFiles(tools: ScanTools, run: ScanRun, files: readonly ReadFile[]): Promise<ReadFile[]> {
  const fingerprints = files.flatMap(({ reading }) => reading.fingerprint ?? []);
  const known =
    run.lastNumber === 0
      ? new Set<string>()
      : await libraryRepository.findFingerprints(tools.reader, fingerprints, run.lastNumber);
  const isOpen = (file: ReadFile) =>
    isReplaced(file) || (file.video === null && known.has(file.reading.fingerprint ?? ''));
  await putFiles(
    tools,
    run,
    files.filter((file) => !isOpen(file)),
  );
  return files.filter(isOpen);
}

/** The file has other bytes than the video at its path: the video was overwritten or moved. */
function isReplaced({ video, reading }: ReadFile): boolean {
  if (video === null || video.fingerprint === null || isUnread(reading.probe.reason)) return false;
  return video.fingerprint !== reading.fingerprint;
}

/**
 * Stores files at their paths, each as the known video or as a new one, in one short transaction.
 */
async function putFiles(tools: ScanTools, run: ScanRun, files: readonly ReadFile[]): Promise<void> {
  if (files.length === 0) return;
  run.count.playable += files.filter(({ reading }) => reading.probe.reason === null).length;
  const added = await tools.write(async (transaction, changes) => {
    for (const file of files)
      if (file.video !== null) await libraryRepository.update(transaction, changes, file.video, toFacts(file));
    const unknown = files.filter(({ video }) => video === null).map((file) => toNewVideo(tools, run, file));
    if (unknown.length === 0) return [];
    const stored = await libraryRepository.insert(transaction, changes, unknown);
    await noteNewVideos(transaction, changes, stored);
    return stored;
  });
  for (const video of added) run.touched.add(video);
  for (const { file, root, video } of files)
    if (video !== null) run.touched.add({ number: video.number, root_number: root.number, path: file.path });
}

/** An unreadable file keeps its fingerprint: a failing disk makes no video unrecognizable. */
function toFacts({ file, video, reading }: ReadFile): VideoFacts {
  const { probe, fingerprint } = reading;
  return {
    size: file.size,
    modified_us: file.modifiedUs,
    inode: file.inode,
    texts_us: file.textsUs,
    etag: file.etag,
    fingerprint: isUnread(probe.reason) ? (video?.fingerprint ?? null) : fingerprint,
    ...toReadFacts(reading, { filename: fileNameOf(file.path), modifiedUs: file.modifiedUs }),
    missing_since: null,
  };
}

function toNewVideo({ ids }: ScanTools, { now }: ScanRun, found: ReadFile): NewVideo {
  const { path } = found.file;
  return {
    ...toFacts(found),
    id: ids.long(),
    root_number: found.root.number,
    path,
    filename: fileNameOf(path),
    created_at: now,
  };
}

/** The most videos read for a slice of files, which may all be copies of one file. */
const candidatesTogether = 4_000;

/**
 * Decides about files with known bytes, and about files that replaced others. A video moves to the
 * path that has its bytes now, with its id and tags, if its old path has them no longer; the other
 * files are new, or have replaced a video.
 */
export async function commitMoved(tools: ScanTools, run: ScanRun, files: readonly ReadFile[]): Promise<void> {
  const moves = await matchMoves(tools, files, run.now);
  await followFolders(tools, run, moves);
  const taken = new Set([...moves.values()].map((video) => video.number));
  // A path must be free before another video takes it, and two videos may have swapped paths.
  const displaced = files.flatMap((file) =>
    file.video !== null && (moves.has(file) || taken.has(file.video.number)) ? [file.video.number] : [],
  );
  await inSlices(displaced, (numbers) =>
    tools.write((transaction, changes) => availabilityRepository.park(transaction, changes, numbers, run.now)),
  );
  await inSlices([...moves], (slice) => putMoves(tools, run, slice));
  const others = files
    .filter((file) => !moves.has(file))
    .map((file) => (taken.has(file.video?.number ?? 0) ? { ...file, video: null } : file));
  await inSlices(others, (slice) => putFiles(tools, run, slice));
}

type Move = readonly [ReadFile, PlacedVideo];

async function followFolders({ write }: ScanTools, { touched }: ScanRun, moves: Iterable<Move>): Promise<void> {
  touched.moves.begin();
  for (const [{ file, root }, video] of moves) {
    // The folder around an earlier library folder is no new name of what lies in it.
    if (video.root_active === 0 && firstFolderOf(video.path) !== firstFolderOf(file.path)) continue;
    const to = { rootNumber: root.number, path: file.path };
    touched.moves.note({ rootNumber: video.root_number, path: video.path }, to, video.missing_since === null);
  }
  await followRenamed(write, touched.moves);
}

async function putMoves(tools: ScanTools, run: ScanRun, moves: readonly Move[]): Promise<void> {
  await tools.write(async (transaction, changes) => {
    for (const [found, video] of moves) {
      const { path } = found.file;
      await libraryRepository.update(transaction, changes, video, {
        ...toFacts(found),
        root_number: found.root.number,
        path,
        filename: fileNameOf(path),
      });
    }
  });
  for (const [{ file, root }, { number }] of moves)
    run.touched.add({ number, root_number: root.number, path: file.path });
  run.count.moved += moves.length;
  run.count.vanished -= moves.filter(([, video]) => video.missing_since === run.now).length;
  run.count.playable += moves.filter(([{ reading }]) => reading.probe.reason === null).length;
}

async function matchMoves(tools: ScanTools, files: readonly ReadFile[], now: number) {
  const displaced = new Set(files.flatMap(({ video }) => video?.number ?? []));
  const moves = new Map<ReadFile, PlacedVideo>();
  const taken = new Set<number>();
  await inSlices(files, async (slice) => {
    const fingerprints = [...new Set(slice.flatMap(({ reading }) => reading.fingerprint ?? []))];
    if (fingerprints.length === 0) return;
    const candidates = await libraryRepository.findByFingerprint(tools.reader, fingerprints, candidatesTogether);
    const homeless = Map.groupBy(
      candidates.filter((video) => !taken.has(video.number) && isHomeless(tools, video, displaced)),
      (video) => video.fingerprint ?? '',
    );
    for (const file of slice) {
      const video = takeBest(homeless.get(file.reading.fingerprint ?? '') ?? [], file, now);
      if (video === null) continue;
      moves.set(file, video);
      taken.add(video.number);
    }
  });
  return moves;
}

/** Chooses the copy that was there last; of several, the one with the same name. */
function takeBest(videos: PlacedVideo[], { file, root }: ReadFile, now: number): PlacedVideo | null {
  const latest = videos.reduce((time, { missing_since }) => Math.max(time, missing_since ?? now), 0);
  const last = videos.filter(({ missing_since }) => (missing_since ?? now) === latest);
  const isNamesake = (video: PlacedVideo) =>
    video.root_number === root.number && fileNameOf(video.path) === fileNameOf(file.path);
  const best = last.find(isNamesake) ?? last[0] ?? null;
  if (best !== null) videos.splice(videos.indexOf(best), 1);
  return best;
}

/**
 * Whether the bytes of a video are no longer at its path, or its root is no longer configured. On a
 * disconnected disk, or in a store that has not been listed since, it still counts as being there.
 */
function isHomeless(tools: ScanTools, video: PlacedVideo, displaced: ReadonlySet<number>): boolean {
  if (video.missing_since !== null || displaced.has(video.number)) return true;
  if (video.root_kind === 'demo') return false;
  if (video.root_active === 0) return true;
  return video.root_missing_since === null && video.root_kind !== 'store' && isGone(tools, video);
}

function isGone({ files }: ScanTools, video: PlacedVideo): boolean {
  try {
    const facts = files.follow(filePathOf(video.folder, video.path));
    if (facts !== null)
      return facts.kind !== 'file' || facts.size !== video.size || facts.modifiedUs !== video.modified_us;
    return files.list(video.folder).length > 0;
  } catch {
    return false;
  }
}

const sliceLength = 250;

/** Processes many rows in slices of some milliseconds, so that other writers never wait longer. */
export async function inSlices<T>(all: readonly T[], work: (slice: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += sliceLength) await work(all.slice(from, from + sliceLength));
}
