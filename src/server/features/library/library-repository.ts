import type { Insertable, Selectable } from 'kysely';
import type { NeedBits } from '#contract/rules/media-needs.ts';
import { countAll, inListLength } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { toInstant } from '../../media/containers/embedded-details.ts';
import type { FileReading } from '../../media/file-reading.ts';
import { headerVersion } from '../../media/probe.ts';
import { chooseDescription, chooseTitle } from '../../media/title.ts';
import { isUnread } from '../../media/unplayable.ts';
import { nameIndexRepository } from '../search/name-index-repository.ts';
import { availabilityRepository, availableWith, changedColumns } from './availability-repository.ts';
import type { ServedRoot } from './root-repository.ts';

/** The facts that a scan stores about a file. */
export type VideoFacts = Omit<
  Insertable<Tables['videos']>,
  'id' | 'root_number' | 'path' | 'filename' | 'created_at' | 'available' | 'reason' | 'hidden_at' | 'hidden_by'
> &
  Partial<Pick<Insertable<Tables['videos']>, 'root_number' | 'path' | 'filename'>> & { reason: string | null };

/** A video whose file exists. */
export type NewVideo = Omit<Insertable<Tables['videos']>, 'number' | 'available' | 'missing_since'>;

/** The columns by which a scan recognizes an unchanged file. */
export type KnownVideo = Pick<
  Selectable<Tables['videos']>,
  | 'number'
  | 'path'
  | 'size'
  | 'modified_us'
  | 'inode'
  | 'etag'
  | 'fingerprint'
  | 'needs'
  | 'header_version'
  | 'texts_us'
  | 'reason'
  | 'missing_since'
>;

/** Paths between two others, by byte order; both are exclusive. */
export interface PathRange {
  after: string;
  before?: string;
}

const knownColumns = [
  'number',
  'path',
  'size',
  'modified_us',
  'inode',
  'etag',
  'fingerprint',
  'needs',
  'header_version',
  'texts_us',
  'reason',
  'missing_since',
] as const;

/** A video with its last known root and path. */
export type PlacedVideo = KnownVideo & {
  root_number: number;
  folder: string;
  /** Zero when its root is no longer configured; such a root is not scanned. */
  root_active: number;
  root_missing_since: number | null;
  root_kind: ServedRoot['kind'];
};

/** Videos as a scan finds them. */
export const libraryRepository = {
  /**
   * Adds videos and indexes their names. A video that another node has added meanwhile is left to
   * the next scan.
   * @returns the added videos
   */
  async insert(
    executor: Executor,
    changes: SetChanges,
    videos: readonly NewVideo[],
  ): Promise<{ number: number; root_number: number; path: string }[]> {
    const added = await executor
      .insertInto('videos')
      .values(
        videos.map((video) => ({
          ...video,
          missing_since: null,
          available: (video.reason ?? video.hidden_at ?? null) === null ? 1 : 0,
        })),
      )
      .onConflict((conflict) => conflict.columns(['root_number', 'path']).doNothing())
      .returning(['number', 'root_number', 'path', 'available', 'needs', 'duration_ms', 'width', 'height'])
      .execute();
    for (const video of added) {
      availabilityRepository.record(changes, { ...video, encoded: 0 }, 0);
      changes.putForm(video, { isNew: true });
    }
    await nameIndexRepository.recordNames(
      executor,
      changes,
      added.map(({ number }) => ({ number })),
    );
    return added;
  },

  /** Video numbers by path. */
  async findNumbers(executor: Executor, rootNumber: number, paths: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (let from = 0; from < paths.length; from += inListLength) {
      const rows = await executor
        .selectFrom('videos')
        .select(['number', 'path'])
        .where('root_number', '=', rootNumber)
        .where('path', 'in', paths.slice(from, from + inListLength))
        .execute();
      for (const row of rows) found.set(row.path, row.number);
    }
    return found;
  },

  /** @param video has the needs of its previous file */
  async update(
    executor: Executor,
    changes: SetChanges,
    video: { number: number; needs: NeedBits },
    facts: VideoFacts,
  ): Promise<void> {
    const was = await readText(executor, video.number);
    const changed = await executor
      .updateTable('videos')
      .set({ ...facts, available: availableWith(facts) })
      .where('number', '=', video.number)
      .returning([...changedColumns, 'duration_ms', 'width', 'height'])
      .executeTakeFirst();
    if (changed === undefined || was === undefined) return;
    availabilityRepository.record(changes, changed, video.needs);
    changes.putForm(changed, { isNew: false });
    // Its place in the lists by length, size and time may be another one.
    changes.put('names', [video.number], true);
    if ((await readText(executor, video.number)) !== was)
      await nameIndexRepository.recordNames(executor, changes, [{ number: video.number, was }]);
  },

  /** Counts present videos that are not hidden, and how many of them are available. */
  async count(executor: Executor): Promise<{ total: number; available: number }> {
    const total = await executor
      .selectFrom('videos')
      .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
      .select(countAll().as('count'))
      .where('library_roots.active', '=', 1)
      .where('videos.missing_since', 'is', null)
      .where('videos.hidden_at', 'is', null)
      .executeTakeFirstOrThrow();
    const available = await executor
      .selectFrom('videos')
      .select(countAll().as('count'))
      .where('available', '=', 1)
      .executeTakeFirstOrThrow();
    return { total: total.count, available: available.count };
  },

  /** Lists one page of a root's videos, sorted by path. */
  async listKnown(
    executor: Executor,
    rootNumber: number,
    { after, before }: PathRange,
    limit: number,
  ): Promise<KnownVideo[]> {
    return executor
      .selectFrom('videos')
      .select(knownColumns)
      .where('root_number', '=', rootNumber)
      .where('path', '>', after)
      .$if(before !== undefined, (query) => query.where('path', '<', before ?? ''))
      .orderBy('path')
      .limit(limit)
      .execute();
  },

  /** Lists the videos at the given paths of a root. */
  async findAtPaths(executor: Executor, rootNumber: number, paths: readonly string[]): Promise<KnownVideo[]> {
    const found: KnownVideo[] = [];
    for (let from = 0; from < paths.length; from += inListLength) {
      const slice = paths.slice(from, from + inListLength);
      found.push(
        ...(await executor
          .selectFrom('videos')
          .select(knownColumns)
          .where('root_number', '=', rootNumber)
          .where('path', 'in', slice)
          .execute()),
      );
    }
    return found;
  },

  /** Returns those of the given fingerprints that a video up to a number has. */
  async findFingerprints(
    executor: Executor,
    fingerprints: readonly string[],
    upToNumber: number,
  ): Promise<Set<string>> {
    const found = new Set<string>();
    for (let from = 0; from < fingerprints.length; from += inListLength) {
      const rows = await executor
        .selectFrom('videos')
        .select('fingerprint')
        .distinct()
        .where('fingerprint', 'in', fingerprints.slice(from, from + inListLength))
        .where('number', '<=', upToNumber)
        .execute();
      for (const row of rows) if (row.fingerprint !== null) found.add(row.fingerprint);
    }
    return found;
  },

  /** Lists videos by fingerprint, missing ones first, without uploads, which never move. */
  async findByFingerprint(executor: Executor, fingerprints: readonly string[], limit: number): Promise<PlacedVideo[]> {
    return executor
      .selectFrom('videos')
      .innerJoin('library_roots as root', 'root.number', 'videos.root_number')
      .select([
        'videos.number',
        'path',
        'size',
        'modified_us',
        'inode',
        'etag',
        'fingerprint',
        'needs',
        'header_version',
        'texts_us',
        'reason',
        'videos.missing_since',
        'root_number',
      ])
      .select([
        'root.folder',
        'root.active as root_active',
        'root.missing_since as root_missing_since',
        'root.kind as root_kind',
      ])
      .where('fingerprint', 'in', fingerprints)
      .where('root.kind', '<>', 'uploads')
      .orderBy((order) => order.case().when('videos.missing_since', 'is', null).then(1).else(0).end())
      .orderBy('videos.missing_since', 'desc')
      .orderBy('videos.number')
      .limit(limit)
      .execute();
  },
};

async function readText(executor: Executor, number: number): Promise<string | undefined> {
  return (await nameIndexRepository.readTexts(executor, [number])).get(number);
}

type ReadColumn =
  | 'found_title'
  | 'found_description'
  | 'recorded_at'
  | 'container'
  | 'video_codec'
  | 'audio_codec'
  | 'bit_depth'
  | 'chroma'
  | 'needs'
  | 'header_version'
  | 'duration_ms'
  | 'width'
  | 'height';

/** The file that was read. */
interface ReadPlace {
  filename: string;
  /** The modification time in epoch microseconds; null if it says nothing about the recording. */
  modifiedUs: number | null;
}

/**
 * The columns that the headers of a file, and the texts beside it, determine. An unreadable file
 * keeps its texts.
 */
export function toReadFacts(
  { probe, sidecar }: FileReading,
  { filename, modifiedUs }: ReadPlace,
): Pick<Insertable<Tables['videos']>, ReadColumn> & { reason: string | null } {
  const { title, description, recordedAt } = probe.details;
  const texts = {
    found_title: chooseTitle({ container: title, sidecar: sidecar.title, filename }),
    found_description: chooseDescription(description, sidecar.description),
    recorded_at: recordedAt ?? (modifiedUs === null ? null : toInstant(modifiedUs / 1_000)),
  };
  return {
    ...(!isUnread(probe.reason) && texts),
    container: probe.container,
    video_codec: probe.videoCodec,
    audio_codec: probe.audioCodec,
    bit_depth: probe.bitDepth,
    chroma: probe.chroma,
    needs: probe.needs,
    header_version: headerVersion,
    duration_ms: probe.durationMs,
    width: probe.width,
    height: probe.height,
    reason: probe.reason,
  };
}
