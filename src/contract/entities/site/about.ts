import { z } from 'zod';

const countSchema = z.int().nonnegative();

export const aboutDatabaseSchema = z.strictObject({
  kind: z.enum(['sqlite', 'postgres']),
  /** Where it is: a file, or a host with its database; never a password. */
  place: z.string(),
});
export const aboutStorageSchema = z.strictObject({
  kind: z.enum(['disk', 's3', 'bunny']),
  folder: z.string(),
  /** Null while the disk cannot be asked. */
  free_bytes: countSchema.nullable(),
  total_bytes: countSchema.nullable(),
});

/** Something the site does without, and how to mend it; both are sentences. */
export const degradationSchema = z.strictObject({ problem: z.string(), mend: z.string() });
export type Degradation = z.infer<typeof degradationSchema>;

export const storedBackupSchema = z.strictObject({ at: z.iso.datetime(), file: z.string(), bytes: countSchema });
export type StoredBackup = z.infer<typeof storedBackupSchema>;

export const backupFailureSchema = z.strictObject({ at: z.iso.datetime(), message: z.string() });

/** `folder` is null while no nightly backup is made; `failure` is null when the last attempt succeeded. */
export const backupStateSchema = z.strictObject({
  folder: z.string().nullable(),
  next_at: z.iso.datetime().nullable(),
  latest: storedBackupSchema.nullable(),
  failure: backupFailureSchema.nullable(),
  /** Folders whose bytes no archive contains. */
  left_out: z.array(z.string()),
});
export type BackupState = z.infer<typeof backupStateSchema>;

export const aboutSchema = z.strictObject({
  version: z.string(),
  node: z.string(),
  uptime_seconds: countSchema,
  database: aboutDatabaseSchema,
  storage: aboutStorageSchema,
  /** Where it is; null when there is none. */
  ffmpeg: z.string().nullable(),
  /** What keeps ffmpeg from all but its input; null when this machine allows nothing that does. */
  sandbox: z.enum(['landlock', 'bubblewrap']).nullable(),
  addresses: z.array(z.string()),
  degraded: z.array(degradationSchema),
  backup: backupStateSchema,
});
export type About = z.infer<typeof aboutSchema>;
