import type { NewVideo, VideoFacts } from '../library-repository.ts';
import { insertVideos, updateVideo } from '../library-repository.ts';
import { toProbedFacts } from '../probed-facts.ts';
import { findFingerprints } from './known-repository.ts';
import type { ReadFile } from './read-changed.ts';
import type { ScanRun, ScanTools } from './scan-tools.ts';
import { nameOf } from './walk.ts';

/** @returns those files of which only the end of the scan can tell whether they are new or have come from elsewhere */
export async function storeFiles(tools: ScanTools, run: ScanRun, files: readonly ReadFile[]): Promise<ReadFile[]> {
  const fingerprints = files.flatMap(({ reading }) => reading.fingerprint ?? []);
  const known =
    run.lastNumber === 0 ? new Set<string>() : await findFingerprints(tools.reader, fingerprints, run.lastNumber);
  const isOpen = (file: ReadFile) =>
    isReplaced(file) || (file.video === null && known.has(file.reading.fingerprint ?? ''));
  await putFiles(
    tools,
    run,
    files.filter((file) => !isOpen(file)),
  );
  return files.filter(isOpen);
}

/** Other bytes stand where a video was: it may have been overwritten, or have gone elsewhere before. */
function isReplaced({ video, reading }: ReadFile): boolean {
  if (video === null || video.fingerprint === null || reading.probe.reason === 'unreadable') return false;
  return video.fingerprint !== reading.fingerprint;
}

/**
 * Writes files down where they stand, each as the video that was known there or as a new one, in one short transaction.
 */
export async function putFiles(tools: ScanTools, run: ScanRun, files: readonly ReadFile[]): Promise<void> {
  if (files.length === 0) return;
  run.count.playable += files.filter(({ reading }) => reading.probe.reason === null).length;
  const added = await tools.write(async (transaction, changes) => {
    for (const file of files)
      if (file.video !== null) await updateVideo(transaction, changes, file.video, toFacts(file));
    const unknown = files.filter(({ video }) => video === null).map((file) => toNewVideo(tools, run, file));
    if (unknown.length === 0) return [];
    const stored = await insertVideos(transaction, changes, unknown);
    const numbers = stored.map(({ number }) => number);
    // Nobody has had time to put a tag on them.
    changes.put('untagged', numbers, true);
    return stored;
  });
  for (const video of added) run.touched.add(video);
  for (const { file, root, video } of files)
    if (video !== null) run.touched.add({ number: video.number, root_number: root.number, path: file.path });
}

/** A disk that fails for a while must not make a video unrecognizable. */
export function toFacts({ file, video, reading: { probe, fingerprint } }: ReadFile): VideoFacts {
  return {
    size: file.size,
    modified_us: file.modifiedUs,
    inode: file.inode,
    fingerprint: probe.reason === 'unreadable' ? (video?.fingerprint ?? null) : fingerprint,
    ...toProbedFacts(probe),
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
    filename: nameOf(path),
    created_at: now,
  };
}
