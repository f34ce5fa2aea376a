import { z } from 'zod';

/** One sign-in on one device, as its owner sees it. */
export const sessionSchema = z.strictObject({
  id: z.string(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime(),
  /** In words: 'Firefox on Linux'. */
  device: z.string(),
  current: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;

export const sessionListSchema = z.strictObject({ sessions: z.array(sessionSchema) });
export type SessionList = z.infer<typeof sessionListSchema>;
