import { z } from 'zod';

const countSchema = z.int().nonnegative();

/** A video that is being encoded now; `progress` is 0 to 100. */
export const runningEncodingSchema = z.strictObject({
  video_id: z.string(),
  filename: z.string(),
  progress: z.number().min(0).max(100),
  /** Since when it stands still, because videos stalled; null while it goes on. */
  paused_at: z.iso.datetime().nullable(),
  /** Since when it stands still, because a video that somebody waits for is encoded; null while it does not. */
  yields_since: z.iso.datetime().nullable(),
});
export type RunningEncoding = z.infer<typeof runningEncodingSchema>;

/** What administrators see of encodings. */
export const encodingOverviewSchema = z.strictObject({
  /** What encodings, sheets of stills and subtitles take, and what they may take. */
  used_bytes: countSchema,
  budget_bytes: countSchema,
  /** Bytes that are free on their disk; null while it does not answer. */
  free_bytes: countSchema.nullable(),
  /** Videos that have an encoding. */
  videos: countSchema,
  waiting: countSchema,
  failed: countSchema,
  running: z.array(runningEncodingSchema),
  /** What encodes: the name of ffmpeg's encoder; null where there is no ffmpeg. */
  encoder: z.string().nullable(),
  is_hardware: z.boolean(),
  /** Whether HDR is brought down by tone mapping; otherwise it is converted plainly. */
  maps_tones: z.boolean(),
});
export type EncodingOverview = z.infer<typeof encodingOverviewSchema>;
