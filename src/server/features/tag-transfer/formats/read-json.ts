import { z } from 'zod';
import type { TransferLine } from './transfer-line.ts';

/** An object, its list of tags, a tag, and its lists: with some room for what others add. */
const depthMax = 16;
/** A schema looks at every item before it can say that there are too many. */
const aliasesMax = 1_000;

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
  if (isDeeper(text, depthMax)) return null;
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

/** Whether brackets outside of strings stand within each other more often than that. */
function isDeeper(text: string, max: number): boolean {
  let [depth, isInString] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isInString = !isInString;
    else if (isInString) at += Number(character === '\\');
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > max) return true;
  }
  return false;
}

function* readTag(value: unknown, line: number): Generator<TransferLine> {
  const { aliases: listed } = (value ?? {}) as { aliases?: unknown };
  const isTooLong = Array.isArray(listed) && listed.length > aliasesMax;
  const data = isTooLong ? undefined : tagSchema.safeParse(value).data;
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
