import type { Tables } from '../../database/tables.ts';
import { backupRecordName } from '../nightly/backup-state-repository.ts';
import { restoreRecordName } from '../restore/restore-record-repository.ts';

/** A table whose rows go into an archive. */
export interface KeptTable {
  name: string;
  /** The migration that makes it. */
  since: string;
  /** The columns of its primary key: the order of its rows. */
  key: readonly string[];
  /** A condition in SQL, for rows that go in; without: all. */
  only?: string;
  /** Its rows are numbered by the database. */
  isNumbered?: true;
}

type TableRule = { kept: Omit<KeptTable, 'name'> } | { leftOut: string };

/**
 * Every table of the schema: what goes into an archive, in an order in which rows find those that they refer to, and
 * what stays out, with the reason.
 */
export const tableRules = {
  secrets: { kept: { since: '0001-foundation', key: ['name'] } },
  settings: {
    kept: {
      since: '0001-foundation',
      key: ['name'],
      // Both are about this installation: where its backups are, and what it was restored from.
      only: `name not in ('${backupRecordName}', '${restoreRecordName}')`,
    },
  },
  revisions: { kept: { since: '0001-foundation', key: ['name'] } },
  library_roots: { kept: { since: '0001-foundation', key: ['number'], isNumbered: true } },
  videos: { kept: { since: '0001-foundation', key: ['number'], isNumbered: true } },
  tags: { kept: { since: '0001-foundation', key: ['number'], isNumbered: true } },
  video_tags: { kept: { since: '0001-foundation', key: ['video_number', 'tag_number'] } },
  tag_aliases: { kept: { since: '0015-curators', key: ['name_key'] } },
  tag_changes: { kept: { since: '0015-curators', key: ['number'], isNumbered: true } },
  tag_change_tags: { kept: { since: '0015-curators', key: ['change_number', 'tag_number'] } },
  tag_change_links: { kept: { since: '0015-curators', key: ['change_number', 'tag_number', 'video_number'] } },
  folder_channels: { kept: { since: '0015-curators', key: ['number'], isNumbered: true } },
  removed_folder_links: { kept: { since: '0015-curators', key: ['video_number', 'folder_channel_number'] } },
  users: { kept: { since: '0010-accounts', key: ['id'] } },
  avatars: { kept: { since: '0010-accounts', key: ['user_id'] } },
  sessions: { kept: { since: '0010-accounts', key: ['id'] } },
  identities: { kept: { since: '0010-accounts', key: ['issuer', 'subject'] } },
  known_devices: { kept: { since: '0010-accounts', key: ['user_id', 'viewer_hash'] } },
  upload_sessions: { kept: { since: '0016-uploads', key: ['id'] } },
  removed_uploads: { kept: { since: '0017-removed-uploads', key: ['id'] } },
  upload_files: { kept: { since: '0016-uploads', key: ['id'] } },
  invitations: { kept: { since: '0013-operators', key: ['id'] } },
  activities: { kept: { since: '0013-operators', key: ['number'], isNumbered: true } },
  jobs: {
    kept: {
      since: '0003-jobs',
      key: ['id'],
      // All other work is found again by whoever starts: posters that are missing, the library to be scanned.
      only: "kind in ('tag-removal', 'tag-merge', 'tag-sidecars', 'tag-change-links', 'tag-undo', 'tag-person-undo') and active_key is not null",
    },
  },

  id_sets: { leftOut: 'made from videos, tags and their links at the first start' },
  set_changes: { leftOut: 'the log of the sets, which begins anew with them' },
  set_counter: { leftOut: 'counts that log' },
  name_grams: { leftOut: 'what names are found by, made again from the videos at the first start' },
  unindexed_names: { leftOut: 'names that are still to go in there: at that start all of them' },
  posters: { leftOut: 'says which poster files there are; both are made again' },
  encodings: { leftOut: 'says which encodings there are; they are made again as they are needed' },
  storyboards: { leftOut: 'likewise' },
  subtitles: { leftOut: 'text out of the videos, read again' },
  subtitles_beside: { leftOut: 'text of files beside the videos, read again' },
  media_findings: { leftOut: 'what was found in the videos, looked for again' },
  encoding_demand: { leftOut: 'which encodings were worth their room on this installation' },
  attempts: { leftOut: 'counts of tries, which run out within a day' },
  repeatable_answers: { leftOut: 'answers for calls that are repeated within a day' },
  playback_stats: { leftOut: 'figures of the last day, of this installation alone' },
  bandwidth_stats: { leftOut: 'likewise' },
  network_stats: { leftOut: 'likewise' },
  performance_alerts: { leftOut: 'likewise' },
  video_stats: { leftOut: 'likewise' },
  provider_visits: { leftOut: 'sign-ins on their way, which run out within minutes' },
  link_tickets: { leftOut: 'tickets that run out within minutes' },
  device_sign_ins: { leftOut: 'TVs that wait for a code, which runs out within minutes' },
  migrations: { leftOut: 'the version of the schema: its names stand in the head of the archive' },
} as const satisfies Record<keyof Tables, TableRule>;

/** Those of a schema that has these migrations. */
export function listKeptTables(migrations: readonly string[]): KeptTable[] {
  return Object.entries<TableRule>(tableRules).flatMap(([name, rule]) =>
    'kept' in rule && migrations.includes(rule.kept.since) ? [{ name, ...rule.kept }] : [],
  );
}
