import type { Selectable } from 'kysely';
import { inListLength } from '../../../database/dialect.ts';
import type { VideosTable } from '../../../database/tables/library-tables.ts';
import type { Executor } from '../../../database/tables.ts';

/** What a scan has to know of a video to see whether its file is still the same. */
export type KnownVideo = Pick<
  Selectable<VideosTable>,
  | 'number'
  | 'path'
  | 'size'
  | 'modified_us'
  | 'inode'
  | 'fingerprint'
  | 'needs'
  | 'header_version'
  | 'reason'
  | 'missing_since'
>;

/** Paths after the one and before the other, by their bytes. */
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
  'fingerprint',
  'needs',
  'header_version',
  'reason',
  'missing_since',
] as const;

/** One page of a root's videos in the order of their paths. */
export async function listKnown(
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
}

/** The videos at some paths of a root. */
export async function findAtPaths(
  executor: Executor,
  rootNumber: number,
  paths: readonly string[],
): Promise<KnownVideo[]> {
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
}

/** Those of some fingerprints that a video up to a number has. */
export async function findFingerprints(
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
}

/** A video with the place that it was last seen at. */
export type PlacedVideo = KnownVideo & {
  root_number: number;
  folder: string;
  /** Whether its root is one whose files are not looked at: no longer configured, or not there. */
  root_active: number;
  root_missing_since: number | null;
  root_kind: 'folder' | 'demo' | 'uploads';
};

/** Videos by their fingerprint, vanished ones first; what was uploaded stays what it is. */
export async function findByFingerprint(
  executor: Executor,
  fingerprints: readonly string[],
  limit: number,
): Promise<PlacedVideo[]> {
  return executor
    .selectFrom('videos')
    .innerJoin('library_roots as root', 'root.number', 'videos.root_number')
    .select([
      'videos.number',
      'path',
      'size',
      'modified_us',
      'inode',
      'fingerprint',
      'needs',
      'header_version',
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
    .orderBy('videos.number')
    .limit(limit)
    .execute();
}
