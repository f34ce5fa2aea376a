import { z } from 'zod';
import type { TransferLine } from './transfer-line.ts';

const textSchema = z.string();
const tagSchema = z.object({
  name: textSchema,
  description: textSchema.nullish(),
  color: textSchema.nullish(),
  aliases: z.array(textSchema).nullish(),
  videos: z.array(z.unknown()).nullish(),
});

/** One object, whose `tags` hold names and the paths of their videos; a list of tags alone is as good. */
export function* readJson(text: string): Generator<TransferLine> {
  const tags = parseTags(text);
  if (tags === null) {
    yield { kind: 'unreadable', line: 1, message: 'This is no JSON with a list of tags' };
    return;
  }
  for (const [place, tag] of tags.entries()) yield* readTag(tag, place + 1);
}

function parseTags(text: string): unknown[] | null {
  let parsed: unknown;
  try {
    // A byte order mark is no JSON.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
  const tags = Array.isArray(parsed) ? parsed : (parsed as { tags?: unknown } | null)?.tags;
  return Array.isArray(tags) ? tags : null;
}

function* readTag(value: unknown, line: number): Generator<TransferLine> {
  const { data } = tagSchema.safeParse(value);
  if (data === undefined) {
    yield { kind: 'unreadable', line, message: 'This is no tag with a name' };
    return;
  }
  const { name, description = null, color = null, aliases, videos } = data;
  yield { kind: 'tag', line, name, description, color, aliases: aliases ?? [] };
  for (const path of videos ?? [])
    yield typeof path === 'string'
      ? { kind: 'link', line, name, path }
      : { kind: 'unreadable', line, message: 'The path of a video is text' };
}
