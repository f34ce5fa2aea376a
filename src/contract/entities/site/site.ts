import { z } from 'zod';

/** Done, and nothing more to say. */
export const doneSchema = z.strictObject({ success: z.literal(true) });
export type Done = z.infer<typeof doneSchema>;

export const cacheClearedSchema = z.strictObject({ success: z.literal(true), freed_bytes: z.int().nonnegative() });
export type CacheCleared = z.infer<typeof cacheClearedSchema>;

/** `degraded`: it serves, and `missing` names what it has to do without. */
export const healthSchema = z.strictObject({
  status: z.enum(['ok', 'degraded']),
  missing: z.array(z.enum(['ffmpeg', 'sandbox'])).optional(),
});
export type Health = z.infer<typeof healthSchema>;

/** What an admin reads when something seems wrong. */
export const debugSchema = z.strictObject({
  version: z.string(),
  node: z.string(),
  uptime_seconds: z.number().nonnegative(),
  database: z.enum(['sqlite', 'postgres']),
  storage: z.enum(['disk', 's3', 'bunny']),
  queues: z.record(z.string(), z.int().nonnegative()),
  cache_bytes: z.int().nonnegative(),
  /** Where it is; null when there is none. */
  ffmpeg: z.string().nullable(),
  /** What keeps ffmpeg from all but its input; null when this machine allows nothing that does. */
  sandbox: z.enum(['landlock', 'bubblewrap']).nullable(),
});
export type Debug = z.infer<typeof debugSchema>;
