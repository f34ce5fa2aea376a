import { recordNames } from '../../search/name-index-repository.ts';
import { park } from '../availability-repository.ts';
import { followRenamed } from '../folder-channels/follow-renamed.ts';
import { updateVideo } from '../library-repository.ts';
import { filePathOf } from '../paths/file-names.ts';
import { inSlices } from './in-slices.ts';
import type { PlacedVideo } from './known-repository.ts';
import { findByFingerprint } from './known-repository.ts';
import type { ReadFile } from './read-changed.ts';
import type { ScanRun, ScanTools } from './scan-tools.ts';
import { putFiles, toFacts } from './store-files.ts';
import { nameOf } from './walk.ts';

/** Copies of one file, all of which may have to be looked at. */
const candidatesTogether = 4_000;

/**
 * Decides about files whose bytes are known from elsewhere, or which stand where other bytes were. A video goes to
 * where its bytes are now, with its id and tags, as long as they are no longer where they were; whatever is left is
 * new, or has replaced what was there.
 */
export async function commitMoved(tools: ScanTools, run: ScanRun, files: readonly ReadFile[]): Promise<void> {
  const moves = await matchMoves(tools, files);
  await followFolders(tools, run, moves);
  const taken = new Set([...moves.values()].map((video) => video.number));
  // A place can be taken only once it is free, and two videos may have changed places.
  const displaced = files.flatMap((file) =>
    file.video !== null && (moves.has(file) || taken.has(file.video.number)) ? [file.video.number] : [],
  );
  await inSlices(displaced, (numbers) =>
    tools.write((transaction, changes) => park(transaction, changes, numbers, run.now)),
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
    const to = { rootNumber: root.number, path: file.path };
    touched.moves.note({ rootNumber: video.root_number, path: video.path }, to, video.missing_since === null);
  }
  await followRenamed(write, touched.moves);
}

async function putMoves(tools: ScanTools, run: ScanRun, moves: readonly Move[]): Promise<void> {
  await tools.write(async (transaction, changes) => {
    for (const [found, video] of moves) {
      const { path } = found.file;
      await updateVideo(transaction, changes, video, {
        ...toFacts(found),
        root_number: found.root.number,
        path,
        filename: nameOf(path),
      });
    }
    await recordNames(transaction, changes, moves.flatMap(toRenamed));
  });
  for (const [{ file, root }, { number }] of moves)
    run.touched.add({ number, root_number: root.number, path: file.path });
  run.count.moved += moves.length;
  run.count.vanished -= moves.filter(([, video]) => video.missing_since === run.now).length;
  run.count.playable += moves.filter(([{ reading }]) => reading.probe.reason === null).length;
}

/** Most moves are to another folder, under the same name. */
function toRenamed([{ file }, { number, path }]: Move): { number: number; was: string }[] {
  const was = nameOf(path);
  return was === nameOf(file.path) ? [] : [{ number, was }];
}

async function matchMoves(tools: ScanTools, files: readonly ReadFile[]): Promise<Map<ReadFile, PlacedVideo>> {
  const displaced = new Set(files.flatMap(({ video }) => video?.number ?? []));
  const moves = new Map<ReadFile, PlacedVideo>();
  const taken = new Set<number>();
  await inSlices(files, async (slice) => {
    const fingerprints = [...new Set(slice.flatMap(({ reading }) => reading.fingerprint ?? []))];
    if (fingerprints.length === 0) return;
    const candidates = await findByFingerprint(tools.reader, fingerprints, candidatesTogether);
    const homeless = Map.groupBy(
      candidates.filter((video) => !taken.has(video.number) && isHomeless(tools, video, displaced)),
      (video) => video.fingerprint ?? '',
    );
    for (const file of slice) {
      const video = takeBest(homeless.get(file.reading.fingerprint ?? '') ?? [], file);
      if (video === null) continue;
      moves.set(file, video);
      taken.add(video.number);
    }
  });
  return moves;
}

/** Of several copies, the one of the same name. */
function takeBest(videos: PlacedVideo[], { file, root }: ReadFile): PlacedVideo | null {
  const name = nameOf(file.path);
  const sameName = videos.findIndex((video) => video.root_number === root.number && nameOf(video.path) === name);
  return videos.splice(Math.max(0, sameName), 1)[0] ?? null;
}

/**
 * Whether a video's bytes are no longer where they were. What is on a disk that is not there at the moment has a home.
 */
function isHomeless(tools: ScanTools, video: PlacedVideo, displaced: ReadonlySet<number>): boolean {
  if (video.missing_since !== null || displaced.has(video.number)) return true;
  if (video.root_kind === 'demo' || (video.root_active === 1 && video.root_missing_since !== null)) return false;
  return isGone(tools, video);
}

function isGone({ files }: ScanTools, video: PlacedVideo): boolean {
  try {
    const facts = files.follow(filePathOf(video.folder, video.path));
    if (facts !== null)
      return facts.kind !== 'file' || facts.size !== video.size || facts.modifiedUs !== video.modified_us;
    return video.root_active === 0 || files.list(video.folder).length > 0;
  } catch {
    return false;
  }
}
