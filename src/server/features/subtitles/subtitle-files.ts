import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { opendir } from 'node:fs/promises';
import type { Processing } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { JobRun, NewJob } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { SubtitleConverter } from '../../media/subtitle-converter.ts';
import type { TrackName } from '../../media/track-name.ts';
import { readTrackName } from '../../media/track-name.ts';
import type { DerivedFile, DerivedFiles, StoredContent } from '../../storage/derived-files.ts';
import { fileVersionOf, openInside } from '../../storage/open-for-reading.ts';
import type { DiskPlace } from '../../storage/storage.ts';
import { posterRepository } from '../videos/poster-repository.ts';
import { subtitleRepository } from '../videos/subtitle-repository.ts';
import type { LibraryVideo } from '../videos/video.ts';

export interface ConversionDeps {
  database: Database;
  clock: Pick<Clock, 'elapsed'>;
  jobs: JobQueue;
  converter: Pick<SubtitleConverter, 'convert'>;
  derivedFiles: Pick<DerivedFiles, 'put' | 'read'>;
  room: {
    /** @throws JobPostponed while the disk is full */
    reserve(bytes: number): Promise<void>;
    discard(files: readonly DerivedFile[]): Promise<void>;
  };
}

const conversionKind = 'subtitles';
/** The priority is high because a viewer waits. */
const conversionPriority = 10;
const attemptsMax = 3;
/** A conversion that was requested this long ago is queued again, in case its job was cancelled. */
const askedForMs = 30_000;
const rememberedMax = 5_000;
/** The factor by which text grows when characters with a meaning in WebVTT are escaped. */
const growth = 2;
/** An empty track, stored for a file without readable text, so that it is not converted again. */
const emptyText = Buffer.from('WEBVTT\n');

interface Asked {
  /** The versions that were to be converted. */
  versions: string;
  /** Measured by `clock.elapsed()`. */
  at: number;
}

/** Queues jobs that convert the subtitles of a video, once for each version of a file. */
export class Conversions {
  private readonly deps: ConversionDeps;
  private readonly asked = new Map<number, Asked>();

  /** @param findBeside finds the present files beside a video */
  constructor(deps: ConversionDeps, findBeside: (video: LibraryVideo) => Promise<readonly FileBeside[]>) {
    this.deps = deps;
    deps.jobs.register({
      kind: conversionKind,
      lane: 'media',
      attemptsMax,
      run: async (run) => {
        const video = await posterRepository.findVideo(deps.database.reader, run.job.subject);
        if (video === null) return;
        await this.convertInside(video, run);
        await this.convertBeside(video, await findBeside(video), run);
      },
    });
  }

  /** @param versions the versions that are not converted yet. @returns null for none */
  async request({ id, number }: LibraryVideo, versions: readonly string[]): Promise<Processing | null> {
    if (versions.length === 0) {
      this.asked.delete(number);
      return null;
    }
    const now = this.deps.clock.elapsed();
    const wanted = { versions: versions.join(' '), at: now };
    const known = this.asked.get(number);
    if (known === undefined || known.versions !== wanted.versions || now - known.at >= askedForMs) {
      const job: NewJob = { kind: conversionKind, subject: id, videoNumber: number, priority: conversionPriority };
      await this.deps.jobs.add([job]);
      this.asked.delete(number);
      this.asked.set(number, wanted);
      const [oldest] = this.asked.size > rememberedMax ? this.asked.keys() : [];
      if (oldest !== undefined) this.asked.delete(oldest);
    }
    return { state: 'queued', progress: 0 };
  }

  /**
   * Converts tracks that earlier releases have extracted; later releases store converted text at
   * once.
   */
  private async convertInside(video: LibraryVideo, { signal }: JobRun): Promise<void> {
    const { database, derivedFiles, room } = this.deps;
    const tracks = await subtitleRepository.find(database.reader, video);
    for (const { content } of tracks.filter(({ isConverted }) => !isConverted)) {
      const bytes = await derivedFiles.read(content, '.vtt');
      const served = bytes === null ? null : await this.store(bytes, signal);
      await database.write((transaction) =>
        served === null
          ? subtitleRepository.delete(transaction, video.number, content)
          : subtitleRepository.replace(transaction, video.number, content, served),
      );
      await room.discard([{ content, extension: '.vtt' }]);
    }
  }

  private async convertBeside(
    { number }: LibraryVideo,
    files: readonly FileBeside[],
    { signal }: JobRun,
  ): Promise<void> {
    const { database, room } = this.deps;
    const known = await subtitleRepository.findBeside(database.reader, number);
    for (const file of files) {
      if (known.delete(file.version)) continue;
      const bytes = await file.read();
      if (bytes === null) continue;
      const row = { video_number: number, version: file.version, ...(await this.store(bytes, signal, file.language)) };
      await database.write((transaction) => subtitleRepository.putBeside(transaction, row));
    }
    for (const [version, content] of known) {
      await database.write((transaction) => subtitleRepository.deleteBeside(transaction, number, version));
      await room.discard([{ content, extension: '.vtt' }]);
    }
  }

  private async store(bytes: Buffer, signal: AbortSignal, language: string | null = null): Promise<StoredContent> {
    await this.deps.room.reserve(bytes.length * growth);
    const vtt = await this.deps.converter.convert(bytes, signal, language);
    return this.deps.derivedFiles.put(vtt ?? emptyText, '.vtt');
  }
}

/**
 * The number of the rules by which files are converted. Increase it when the same file gives another
 * text: files that were converted before are then converted again.
 */
export const rules = 4;

/** A subtitle file in the folder of a video. */
export interface FileBeside extends TrackName {
  /** Reads it whole. Null when it is gone, has changed or may not be read. */
  read(): Promise<Buffer | null>;
  /** Changes with the name and with the content of the file. */
  version: string;
}

/**
 * Finds the subtitle files of a video, sorted by label. Links out of the library and files that are
 * irregular, empty or too large are left out.
 */
export async function findFilesBeside(folders: SubtitleFolders, video: DiskPlace): Promise<FileBeside[]> {
  const slash = video.file.lastIndexOf('/');
  const folder = video.file.subarray(0, slash);
  const stem = stemOf(video.file.subarray(slash + 1));
  const found: FileBeside[] = [];
  for (const name of await folders.list(folder)) {
    if (found.length === limits.subtitleTracks) break;
    const track = nameOfTrack(stem, name);
    if (track === null) continue;
    const file = { folder: video.folder, file: Buffer.concat([folder, Buffer.from('/'), name]) };
    const version = await withFile(file, (_, facts) => toVersion(name, facts));
    if (version !== null) found.push({ ...track, version, read: () => readFileBeside(file, version) });
  }
  return found.sort(byLabel);
}

/** Null when the file is gone, has changed or may not be read. */
function readFileBeside(file: DiskPlace, version: string): Promise<Buffer | null> {
  const name = file.file.subarray(file.file.lastIndexOf('/') + 1);
  return withFile(file, async (handle, facts) => {
    if (toVersion(name, facts) !== version) return null;
    const size = Number(facts.size);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  });
}

/**
 * This order puts full subtitles before forced ones of the same language: the first one of a
 * language is shown by default.
 */
export function byLabel({ label: one }: TrackName, { label: other }: TrackName): number {
  return Number(one > other) - Number(one < other);
}

/** A path without its extension. */
export function stemOf(name: Buffer): Buffer {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.subarray(0, dot);
}

const ending = /^(?:\.(.+))?\.(?:srt|vtt)$/i;

/**
 * The track of a subtitle file, by its name behind that of the video; null for any other file. Names
 * are compared by their bytes, then as text in NFC: macOS decomposes letters that other
 * systems compose.
 */
export function nameOfTrack(stem: Buffer, name: Buffer): TrackName | null {
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
  { folder, file }: DiskPlace,
  use: (handle: FileHandle, facts: BigIntStats) => Promise<T> | T,
): Promise<T | null> {
  await using handle = await openInside(folder, file);
  if (handle === null) return null;
  const facts = await handle.stat({ bigint: true });
  return facts.isFile() && facts.size > 0 && facts.size <= limits.subtitleBytes ? await use(handle, facts) : null;
}

function toVersion(name: Buffer, facts: BigIntStats): string {
  const { size, modifiedUs } = fileVersionOf(facts);
  return createHash('sha256').update(name).update(`/${size}/${modifiedUs}/${rules}`).digest('hex').slice(0, 40);
}

/** The limit suits every folder that people make; further entries of a larger one are ignored. */
const entriesMax = 10_000;
const namesAtOnce = 1_024;
/**
 * A list is kept this long: four quadrants and their menus ask several times in a row, mostly about
 * few folders.
 */
const keptMs = 5_000;
const keptFolders = 64;

interface Listed {
  names: Promise<readonly Buffer[]>;
  until: number;
}

/** Lists the names of subtitle files in folders of the library, at most some seconds old. */
export class SubtitleFolders {
  private readonly clock: Pick<Clock, 'elapsed'>;
  /** Lists by the bytes of the folder's path. */
  private readonly listed = new Map<string, Listed>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.clock = clock;
  }

  /** Names in byte order; empty when the folder cannot be read. */
  list(folder: Buffer): Promise<readonly Buffer[]> {
    const key = folder.toString('latin1');
    const now = this.clock.elapsed();
    const known = this.listed.get(key);
    if (known !== undefined && known.until > now) return known.names;
    const names = listSubtitleNames(folder).catch(() => []);
    this.listed.delete(key);
    this.listed.set(key, { names, until: now + keptMs });
    const [oldest] = this.listed.size > keptFolders ? this.listed.keys() : [];
    if (oldest !== undefined) this.listed.delete(oldest);
    return names;
  }
}

const subtitleName = /\.(?:srt|vtt)$/i;

async function listSubtitleNames(folder: Buffer): Promise<Buffer[]> {
  // latin1 maps each byte to one character, which preserves names that are not UTF-8.
  const opened = await opendir(folder, { encoding: 'latin1', bufferSize: namesAtOnce });
  const names: string[] = [];
  let entries = 0;
  for await (const { name } of opened) {
    if (subtitleName.test(name)) names.push(name);
    entries += 1;
    if (entries === entriesMax) break;
  }
  return names.sort().map((name) => Buffer.from(name, 'latin1'));
}
