import { z } from 'zod';
import { limits } from '../limits.ts';
import type { SettingName } from '../rules/site-settings.ts';
import { settingLabels } from '../rules/site-settings.ts';
import { storedBackupSchema } from './site.ts';

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

/** New values of some settings; null gives a setting its default again. */
export const siteSettingsUpdateSchema = z.object({
  values: z.partialRecord(settingNameSchema, z.string().max(limits.settingTextCharacters).nullable()),
});
export type SiteSettingsUpdate = z.input<typeof siteSettingsUpdateSchema>;
