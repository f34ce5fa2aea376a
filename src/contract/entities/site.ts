import { z } from 'zod';

/** Done, and nothing more to say. */
export const doneSchema = z.strictObject({ success: z.literal(true) });
export type Done = z.infer<typeof doneSchema>;

export const cacheClearedSchema = z.strictObject({ success: z.literal(true), freed_bytes: z.int().nonnegative() });
export type CacheCleared = z.infer<typeof cacheClearedSchema>;

export const healthSchema = z.strictObject({ status: z.literal('ok') });
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
});
export type Debug = z.infer<typeof debugSchema>;
