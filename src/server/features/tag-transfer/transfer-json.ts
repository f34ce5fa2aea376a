import { z } from 'zod';
import type { ExportedDetails, ExportedTag, TransferLine } from './transfer-formats.ts';

/**
 * Four levels are needed: an object, its list of tags, a tag, and its lists. The rest is for fields
 * added by other programs.
 */
const depthMax = 16;
/**
 * A limit for the first check: a schema validates every item before it can report that there are
 * too many.
 */
const aliasesMax = 1_000;

const textSchema = z.string();
const tagSchema = z.object({
  name: textSchema,
  description: textSchema.nullish(),
  color: textSchema.nullish(),
  aliases: z.array(textSchema).nullish(),
  videos: z.array(z.unknown()).nullish(),
});

const detailsSchema = z.object({
  path: textSchema,
  title: textSchema.nullish(),
  description: textSchema.nullish(),
});

/**
 * Reads JSON: an object whose `tags` contain names and the paths of their videos, and whose
 * `videos` contain titles and descriptions, or only the list of tags.
 */
export function* readJson(text: string): Generator<TransferLine> {
  const lists = parseLists(text);
  if (lists === null) {
    yield { kind: 'unreadable', line: 1, message: 'This is no JSON with a list of tags' };
    return;
  }
  const { tags, videos } = lists;
  for (const [place, tag] of tags.entries()) yield* readTag(tag, place + 1);
  for (const [place, video] of videos.entries()) yield readDetails(video, tags.length + place + 1);
}

function parseLists(text: string): { tags: unknown[]; videos: unknown[] } | null {
  if (isDeeper(text, depthMax)) return null;
  let parsed: unknown;
  try {
    // A byte order mark is not valid JSON.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
  if (Array.isArray(parsed)) return { tags: parsed, videos: [] };
  const { tags, videos } = (parsed ?? {}) as { tags?: unknown; videos?: unknown };
  if (!Array.isArray(tags) && !Array.isArray(videos)) return null;
  return { tags: Array.isArray(tags) ? tags : [], videos: Array.isArray(videos) ? videos : [] };
}

function readDetails(value: unknown, line: number): TransferLine {
  const { data } = detailsSchema.safeParse(value);
  if (data === undefined) return { kind: 'unreadable', line, message: 'This is no video with a path' };
  const { path, title = null, description = null } = data;
  return { kind: 'details', line, path, title, description };
}

/** Whether brackets outside of strings are nested deeper than `max`. */
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

/** JSON in pieces: an object with `tags`, which contain the paths of their videos, and `videos`. */
export async function* writeJson(
  tags: AsyncIterable<ExportedTag>,
  details: AsyncIterable<readonly ExportedDetails[]>,
): AsyncGenerator<string> {
  yield '{"tags":[';
  let tagSeparator = '\n';
  for await (const { videos, ...tag } of tags) {
    yield `${tagSeparator}${JSON.stringify(tag).slice(0, -1)},"videos":[`;
    tagSeparator = ',\n';
    let separator = '';
    for await (const paths of videos) {
      if (paths.length === 0) continue;
      yield `${separator}\n${paths.map((path) => JSON.stringify(path)).join(',\n')}`;
      separator = ',';
    }
    yield ']}';
  }
  yield '\n],"videos":[';
  let separator = '';
  for await (const videos of details) {
    if (videos.length === 0) continue;
    yield `${separator}\n${videos.map((video) => JSON.stringify(video)).join(',\n')}`;
    separator = ',';
  }
  yield '\n]}\n';
}
