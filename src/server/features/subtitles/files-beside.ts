import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { limits } from '#contract/limits.ts';
import type { TrackName } from '../../media/subtitles/track-name.ts';
import { readTrackName } from '../../media/subtitles/track-name.ts';
import { fileVersionOf } from '../../storage/file-version.ts';
import { openInside } from '../../storage/local-file.ts';
import type { VideoFile } from '../videos/path-resolver.ts';
import type { SubtitleFolders } from './subtitle-folders.ts';

/** A subtitle file in the folder of a video. */
export interface FileBeside extends TrackName {
  file: VideoFile;
  /** Another one for another file of that name, or another state of it. */
  version: string;
}

/** Those of a video, by their names; what is no plain file, leads out of the library or is too large is none. */
export async function findFilesBeside(folders: SubtitleFolders, video: VideoFile): Promise<FileBeside[]> {
  const slash = video.file.lastIndexOf('/');
  const folder = video.file.subarray(0, slash);
  const stem = stemOf(video.file.subarray(slash + 1));
  const found: FileBeside[] = [];
  for (const name of await folders.list(folder)) {
    if (found.length === limits.subtitleTracks) break;
    const track = readNameBeside(stem, name);
    if (track === null) continue;
    const file = { folder: video.folder, file: Buffer.concat([folder, Buffer.from('/'), name]) };
    const version = await withFile(file, (_, facts) => toVersion(name, facts));
    if (version !== null) found.push({ ...track, file, version });
  }
  // Whole texts before forced ones of the same language: the first of a language is shown by itself.
  return found.sort((one, other) => comparePlainly(one.label, other.label));
}

/** Null when it is not there any more in that state, or may not be read. */
export function readFileBeside({ file, version }: FileBeside): Promise<Buffer | null> {
  const name = file.file.subarray(file.file.lastIndexOf('/') + 1);
  return withFile(file, async (handle, facts) => {
    if (toVersion(name, facts) !== version) return null;
    const size = Number(facts.size);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  });
}

function comparePlainly(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

function stemOf(name: Buffer): Buffer {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.subarray(0, dot);
}

const ending = /^(?:\.(.+))?\.(?:srt|vtt)$/i;

/** Names are compared by their bytes, and as text in NFC: macOS takes letters apart that others write whole. */
function readNameBeside(stem: Buffer, name: Buffer): TrackName | null {
  const rest = restOf(stem, name);
  const parts = rest === null ? null : ending.exec(rest);
  return parts === null ? null : readTrackName(parts[1] ?? '');
}

function restOf(stem: Buffer, name: Buffer): string | null {
  if (name.subarray(0, stem.length).equals(stem)) return name.toString('utf8', stem.length);
  if (!isUtf8(stem) || !isUtf8(name)) return null;
  const [start, text] = [stem, name].map((bytes) => bytes.toString('utf8').normalize('NFC')) as [string, string];
  return text.startsWith(start) ? text.slice(start.length) : null;
}

async function withFile<T>(
  { folder, file }: VideoFile,
  use: (handle: FileHandle, facts: BigIntStats) => Promise<T> | T,
): Promise<T | null> {
  await using handle = await openInside(folder, file);
  if (handle === null) return null;
  const facts = await handle.stat({ bigint: true });
  return facts.isFile() && facts.size > 0 && facts.size <= limits.subtitleBytes ? use(handle, facts) : null;
}

function toVersion(name: Buffer, facts: BigIntStats): string {
  const { size, modifiedUs } = fileVersionOf(facts);
  return createHash('sha256').update(name).update(`/${size}/${modifiedUs}`).digest('hex').slice(0, 40);
}
