import { setImmediate as breathe } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { JobKind, NewJob } from '../../jobs/job.ts';
import type { Encoded } from '../../media/encode/encoder.ts';
import type { DerivedFile, DerivedFiles } from '../../storage/derived-files.ts';
import { encodingRepository } from '../videos/encoding-repository.ts';
import type { FileOfVideo } from '../videos/video.ts';
import { videoRepository } from '../videos/video-repository.ts';
import { derivedFileRepository } from './derived-repository.ts';
import type { Room, RoomDeps } from './room.ts';

export interface StoreDeps extends Pick<RoomDeps, 'alignEncoded'> {
  idSets: Pick<IdSets, 'write'>;
  clock: Clock;
  files: Pick<DerivedFiles, 'adopt' | 'put'>;
  room: Pick<Room, 'discard'>;
}

/** The columns that all rows of one run share. */
interface FileColumns {
  video_number: number;
  size: number;
  modified_us: number;
}

interface EncodedRows {
  encodings: Insertable<Tables['encodings']>[];
  storyboard: Insertable<Tables['storyboards']> | null;
  subtitles: Insertable<Tables['subtitles']>[];
  notes: string;
}

/**
 * Stores the encodings of a video: first the files, then all rows in one transaction, which makes
 * the video available. Nothing is kept when the file of the video has changed meanwhile.
 */
export async function storeEncoded(
  deps: StoreDeps,
  video: FileOfVideo,
  encoded: Encoded,
  signal: AbortSignal,
): Promise<void> {
  const stored: DerivedFile[] = [];
  try {
    const rows = await storeFiles(deps, video, encoded, stored);
    signal.throwIfAborted();
    const before = await deps.idSets.write(async (transaction, changes) => {
      if (!(await derivedFileRepository.isPresent(transaction, video))) return [];
      const replaced = await encodingRepository.listDerivedFiles(transaction, video.number);
      await writeRows(transaction, video, rows, deps.clock.now());
      await deps.alignEncoded(transaction, changes, video.number);
      return replaced;
    });
    stored.push(...before);
  } finally {
    // Discards the files of an incomplete run and the replaced ones, unless they are in use.
    await deps.room.discard(stored);
  }
}

/** Stores the encodings of a video with an audio track that a viewer has chosen. */
export async function storeAudio(
  { files, clock, idSets, room }: StoreDeps,
  { number, size, modifiedUs }: FileOfVideo,
  {
    encoded,
    chosen,
    signal,
  }: { encoded: Encoded; chosen: { track: number; language: string | null }; signal: AbortSignal },
): Promise<void> {
  const stored: DerivedFile[] = [];
  const { track, language } = chosen;
  const now = clock.now();
  try {
    const rows: Insertable<Tables['audio_encodings']>[] = [];
    for (const { rendition, file, width, height } of encoded.files) {
      const facts = await files.adopt(file, '.mp4');
      stored.push({ content: facts.content, extension: '.mp4' });
      const of = { video_number: number, size, modified_us: modifiedUs, rendition, track, language };
      rows.push({ ...of, ...facts, width, height, made_at: now, used_at: now });
    }
    signal.throwIfAborted();
    const before = await idSets.write(async (transaction, changes) => {
      if (!(await derivedFileRepository.isPresent(transaction, { number, size, modifiedUs }))) return [];
      const replaced = await encodingRepository.listDerivedFiles(transaction, number);
      for (const row of rows) await encodingRepository.putAudio(transaction, changes, row);
      return replaced;
    });
    stored.push(...before);
  } finally {
    await room.discard(stored);
  }
}

async function storeFiles(
  { files, clock }: StoreDeps,
  { number, size, modifiedUs }: FileOfVideo,
  encoded: Encoded,
  stored: DerivedFile[],
): Promise<EncodedRows> {
  const columns: FileColumns = { video_number: number, size, modified_us: modifiedUs };
  const now = clock.now();
  const rows: EncodedRows = { encodings: [], storyboard: null, subtitles: [], notes: JSON.stringify(encoded.notes) };
  for (const { rendition, file, width, height } of encoded.files) {
    const facts = await files.adopt(file, '.mp4');
    stored.push({ content: facts.content, extension: '.mp4' });
    rows.encodings.push({ ...columns, ...facts, rendition, width, height, made_at: now, used_at: now });
  }
  if (encoded.storyboard !== null) {
    const { webp, columns: across, rows: down, tileWidth, tileHeight, intervalMs } = encoded.storyboard;
    const facts = await files.put(webp, '.webp');
    stored.push({ content: facts.content, extension: '.webp' });
    const tiles = { columns: across, rows: down, tile_width: tileWidth, tile_height: tileHeight };
    rows.storyboard = { ...columns, ...facts, ...tiles, interval_ms: intervalMs, made_at: now };
  }
  for (const { track, language, label, vtt } of encoded.subtitles) {
    const facts = await files.put(vtt, '.vtt');
    stored.push({ content: facts.content, extension: '.vtt' });
    rows.subtitles.push({ ...columns, ...facts, track, language, label, is_converted: 1 });
  }
  return rows;
}

/**
 * Replaces earlier results of this version of the file where there are new ones, and deletes the
 * results of other versions.
 */
async function writeRows(
  transaction: Executor,
  { number, size, modifiedUs }: FileOfVideo,
  { encodings, storyboard, subtitles, notes }: EncodedRows,
  now: number,
): Promise<void> {
  for (const table of ['encodings', 'storyboards'] as const)
    await transaction
      .deleteFrom(table)
      .where('video_number', '=', number)
      .where((where) => where.or([where('size', '!=', size), where('modified_us', '!=', modifiedUs)]))
      .execute();
  for (const encoding of encodings) await encodingRepository.put(transaction, encoding);
  for (const table of [
    'subtitles',
    'media_findings',
    ...(storyboard === null ? [] : (['storyboards'] as const)),
  ] as const)
    await transaction.deleteFrom(table).where('video_number', '=', number).execute();
  if (storyboard !== null) await transaction.insertInto('storyboards').values(storyboard).execute();
  if (subtitles.length > 0) await transaction.insertInto('subtitles').values(subtitles).execute();
  const found = { video_number: number, size, modified_us: modifiedUs, failure: null, notes, found_at: now };
  await transaction.insertInto('media_findings').values(found).execute();
}

/** Stores that this file cannot be encoded, with a reason that a person understands. */
export async function storeFailure(
  transaction: Executor,
  file: FileColumns,
  failure: string,
  now: number,
): Promise<void> {
  const facts = { size: file.size, modified_us: file.modified_us, failure, notes: '[]', found_at: now };
  await transaction
    .insertInto('media_findings')
    .values({ video_number: file.video_number, ...facts })
    .onConflict((conflict) => conflict.column('video_number').doUpdateSet(facts))
    .execute();
}

const cleanUpKind = 'encoding-clean-up';
const strayAfterMs = 3_600_000;
/** A query looks at so many in a fraction of a millisecond, in a library of any size. */
const videosTogether = 500;

/** The job that removes derived files that no video uses any more. */
export const encodingCleanUp: NewJob = { kind: cleanUpKind, subject: 'all' };

export interface CleanUpDeps extends Pick<RoomDeps, 'alignEncoded'> {
  database: Database;
  idSets: Pick<IdSets, 'write'>;
  sweepTime: SweepTime;
  files: Pick<DerivedFiles, 'sweep'>;
}

export function cleanUpJobs(deps: CleanUpDeps): JobKind {
  return {
    kind: cleanUpKind,
    lane: 'light',
    attemptsMax: 3,
    isOneForAll: true,
    run: ({ signal }) => cleanUp(deps, signal),
  };
}

/** Removes the rows of outdated files first, then the files without a row. */
async function cleanUp(
  { database, idSets, sweepTime, files, alignEncoded }: CleanUpDeps,
  signal: AbortSignal,
): Promise<void> {
  const last = await videoRepository.readLastNumber(database.reader);
  for (let after = 0; after < last; after += videosTogether) {
    const outdated = await derivedFileRepository.findOutdated(database.reader, after, after + videosTogether);
    await breathe();
    signal.throwIfAborted();
    if (outdated.length === 0) continue;
    await idSets.write(async (transaction, changes) => {
      for (const number of await derivedFileRepository.forgetOutdated(transaction, outdated))
        await alignEncoded(transaction, changes, number);
    });
  }
  await files.sweep((await sweepTime.read()) - strayAfterMs, (contents) =>
    derivedFileRepository.findUsedContents(database.reader, contents),
  );
}
