import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { SettingName } from '#contract/rules/site-settings.ts';
import { settingLabels } from '#contract/rules/site-settings.ts';
import { pageFacts, pageLimitSchema, pageSchema } from './fields.ts';

/** A success without further content. */
export const doneSchema = z.strictObject({ success: z.literal(true) });
export type Done = z.infer<typeof doneSchema>;

export const cacheClearedSchema = z.strictObject({ success: z.literal(true), freed_bytes: z.int().nonnegative() });
export type CacheCleared = z.infer<typeof cacheClearedSchema>;

/** `degraded`: the site works, and `missing` names the tools it works without. */
export const healthSchema = z.strictObject({
  status: z.enum(['ok', 'degraded']),
  missing: z.array(z.enum(['ffmpeg', 'sandbox'])).optional(),
});
export type Health = z.infer<typeof healthSchema>;

/** Diagnostics for administrators. */
export const debugSchema = z.strictObject({
  version: z.string(),
  node: z.string(),
  uptime_seconds: z.number().nonnegative(),
  database: z.enum(['sqlite', 'postgres']),
  storage: z.enum(['disk', 's3', 'bunny']),
  queues: z.record(z.string(), z.int().nonnegative()),
  cache_bytes: z.int().nonnegative(),
  /** The path of ffmpeg; null when there is none. */
  ffmpeg: z.string().nullable(),
  /** The sandbox that limits ffmpeg to its input; null when this machine supports none. */
  sandbox: z.enum(['landlock', 'bubblewrap']).nullable(),
});
export type Debug = z.infer<typeof debugSchema>;

const countSchema = z.int().nonnegative();

export const aboutDatabaseSchema = z.strictObject({
  kind: z.enum(['sqlite', 'postgres']),
  /** The database's file, or its host and name; never a password. */
  place: z.string(),
});
export const aboutStorageSchema = z.strictObject({
  kind: z.enum(['disk', 's3', 'bunny']),
  folder: z.string(),
  /** Null while the disk does not answer. */
  free_bytes: countSchema.nullable(),
  total_bytes: countSchema.nullable(),
  /** The store of encodings, sheets, subtitles and posters; null while they are in the folder. */
  store: z
    .strictObject({
      place: z.string(),
      /** The origin from which browsers fetch its videos; null where this server sends them. */
      delivers_from: z.string().nullable(),
      /** The times within which half and 99 of the last hundred calls had an answer. */
      half_within_ms: countSchema,
      most_within_ms: countSchema,
      clock_ahead_seconds: z.int(),
      /** Why the last call failed; null if it did not. */
      failure: z.string().nullable(),
    })
    .nullable(),
});

/** A missing capability and its remedy, both as sentences. */
export const degradationSchema = z.strictObject({ problem: z.string(), mend: z.string() });
export type Degradation = z.infer<typeof degradationSchema>;

export const storedBackupSchema = z.strictObject({ at: z.iso.datetime(), file: z.string(), bytes: countSchema });
export type StoredBackup = z.infer<typeof storedBackupSchema>;

export const backupFailureSchema = z.strictObject({ at: z.iso.datetime(), message: z.string() });

/**
 * `folder` is null while no nightly backup is made; `failure` is null when the last attempt
 * succeeded.
 */
export const backupStateSchema = z.strictObject({
  folder: z.string().nullable(),
  next_at: z.iso.datetime().nullable(),
  latest: storedBackupSchema.nullable(),
  failure: backupFailureSchema.nullable(),
  /** Folders whose bytes no archive contains. */
  left_out: z.array(z.string()),
});
export type BackupState = z.infer<typeof backupStateSchema>;

/** The newest version, as the operator's address told it; null if it told none. */
export const updateSchema = z.strictObject({
  newest: z.string().nullable(),
  is_newer: z.boolean(),
});

/** A server of the site. `away`: library folders that it cannot read, or that are empty there. */
export const siteNodeSchema = z.strictObject({
  name: z.string(),
  role: z.enum(['all', 'web', 'jobs']),
  version: z.string(),
  state: z.enum(['starting', 'ready', 'draining']),
  away: z.array(z.string()),
});

export const aboutSchema = z.strictObject({
  version: z.string(),
  /** Null if nobody is asked for the newest version. */
  update: updateSchema.nullable(),
  node: z.string(),
  uptime_seconds: countSchema,
  database: aboutDatabaseSchema,
  storage: aboutStorageSchema,
  /** The path of ffmpeg; null when there is none. */
  ffmpeg: z.string().nullable(),
  /** The sandbox that limits ffmpeg to its input; null when this machine supports none. */
  sandbox: z.enum(['landlock', 'bubblewrap']).nullable(),
  addresses: z.array(z.string()),
  /** The other servers of the site that run. */
  nodes: z.array(siteNodeSchema),
  degraded: z.array(degradationSchema),
  backup: backupStateSchema,
});
export type About = z.infer<typeof aboutSchema>;

const settingNameSchema = z.enum(Object.keys(settingLabels) as [SettingName, ...SettingName[]]);

/**
 * A setting. `value` is the one that holds, as text; null if there is none, and for secrets, of
 * which only `is_set` is told.
 */
export const siteSettingSchema = z.strictObject({
  name: settingNameSchema,
  value: z.string().nullable(),
  is_set: z.boolean(),
  source: z.enum(['environment', 'file', 'database', 'default']),
});
export type SiteSetting = z.infer<typeof siteSettingSchema>;

/** A folder of the library, and whether its videos can be read. */
export const settingFolderSchema = z.strictObject({
  folder: z.string(),
  state: z.enum(['readable', 'unreadable', 'missing']),
  videos: z.int().nonnegative(),
});
export type SettingFolder = z.infer<typeof settingFolderSchema>;

export const siteSettingsSchema = z.strictObject({
  settings: z.array(siteSettingSchema),
  folders: z.array(settingFolderSchema),
  /** The nightly backups that are kept, latest first. */
  backups: z.array(storedBackupSchema),
});
export type SiteSettings = z.infer<typeof siteSettingsSchema>;

/** A folder of the server's disk, by its whole path. Empty: the places where a search begins. */
export const folderQuerySchema = z.object({ path: z.string().max(limits.pathCharacters).default('') });
export type FolderQuery = z.input<typeof folderQuerySchema>;

/**
 * The folders in one. `parent` is the one to go back to: empty for the places where a search
 * begins, null where there is none. `is_more`: the folder has more than are listed.
 */
export const folderListSchema = z.strictObject({
  path: z.string(),
  parent: z.string().nullable(),
  folders: z.array(z.strictObject({ name: z.string(), path: z.string() })),
  is_more: z.boolean(),
});
export type FolderList = z.infer<typeof folderListSchema>;

/**
 * New values of some settings; null gives a setting its default again. `known_folders` are those
 * that `LIBRARY_DIRS` changes: folders that others have added or removed since stay so.
 */
export const siteSettingsUpdateSchema = z.object({
  values: z.partialRecord(settingNameSchema, z.string().max(limits.settingTextCharacters).nullable()),
  known_folders: z.string().max(limits.settingCharacters).optional(),
});
export type SiteSettingsUpdate = z.input<typeof siteSettingsUpdateSchema>;

/** The kinds of entries of the activity log. */
export const activities = [
  'account_created',
  'account_changed',
  'account_deleted',
  'password_set',
  'tier_changed',
  'sessions_ended',
  'invitation_created',
  'invitation_used',
  'invitation_revoked',
  'video_hidden',
  'video_shown',
  'reports_dismissed',
  'video_details_changed',
  'upload_removed',
  'upload_restored',
  'upload_purged',
  'tag_removed',
  'tag_merged',
  'tags_imported',
  'tag_change_undone',
  'tag_person_undone',
  'settings_changed',
  'settings_undone',
  'cache_cleared',
] as const;

/**
 * An entry of the activity log. `actor` is a name as it was then, null for the site itself;
 * `subject` names the object of the action, and `detail` adds a tier, a date or a field.
 */
export const activitySchema = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.string().nullable(),
  kind: z.enum(activities),
  subject: z.string().nullable(),
  detail: z.string().nullable(),
  /** Whether what it did to settings can still be undone. */
  can_undo: z.boolean(),
});
export type Activity = z.infer<typeof activitySchema>;

export const activityListQuerySchema = z.object({
  page: pageSchema,
  limit: pageLimitSchema(limits.activitiesPerPage),
});
export type ActivityListQuery = z.input<typeof activityListQuerySchema>;

export const activityListSchema = z.strictObject({ activities: z.array(activitySchema), ...pageFacts });
export type ActivityList = z.infer<typeof activityListSchema>;

export type ActivityKind = (typeof activities)[number];
