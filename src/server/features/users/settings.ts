import { z } from 'zod';
import type { Settings } from '#contract/entities/people/user.ts';
import { limits } from '#contract/limits.ts';

const defaults: Settings = {
  skip_duration_seconds: limits.skipDurationSeconds,
  blocked_tag_ids: [],
  shortcut_keys: true,
  subtitle_language: null,
};

const storedSchema = z.object({
  skip_duration_seconds: z.int().positive().catch(defaults.skip_duration_seconds),
  blocked_tag_ids: z.array(z.string()).catch(defaults.blocked_tag_ids),
  shortcut_keys: z.boolean().catch(defaults.shortcut_keys),
  subtitle_language: z.string().nullable().catch(defaults.subtitle_language),
});

/** What was saved; whatever is missing or of an older form has its default. */
export function readSettings(json: string): Settings {
  return storedSchema.parse(parse(json));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}
