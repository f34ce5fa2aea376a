import { Readable } from 'node:stream';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';

/** A tag as a file describes it. Null: the file does not say. */
export interface TagLine {
  kind: 'tag';
  line: number;
  name: string;
  description: string | null;
  color: string | null;
  aliases: readonly string[];
}

/** A tag on a video, by the path that clients know the video by. */
export interface LinkLine {
  kind: 'link';
  line: number;
  name: string;
  path: string;
}

/** What cannot be read, in words for whoever brought the file. */
interface UnreadableLine {
  kind: 'unreadable';
  line: number;
  message: string;
}

/** What a file of tags and links says. `line` counts from 1: lines of CSV, tags of JSON. */
export type TransferLine = TagLine | LinkLine | UnreadableLine;

/** A tag with everything that a file holds of it. */
export interface ExportedTag {
  name: string;
  description: string;
  color: string;
  aliases: readonly string[];
  /** Paths of its videos, in pages. */
  videos: AsyncIterable<readonly string[]>;
}

/** What is parsed before others have their turn. */
const charactersTogether = 65_536;
/** More than a path, a description and twenty names take. */
const recordBytesMax = 65_536;
/** Each row becomes an object with so many keys at most: what stands further right is not read. */
const columnsMax = 50;

type CsvCells = Record<(typeof csvColumns)[number], string>;
interface ParsedRow {
  record: Partial<CsvCells>;
  info: { lines: number };
}

/**
 * Rows of CSV (RFC 4180) whose first line names the columns. A row without a path describes a channel, one with a path
 * puts it on a video.
 */
export async function* readCsv(text: string): AsyncGenerator<TransferLine> {
  const parser = Readable.from(splitText(text)).pipe(
    parse({
      bom: true,
      columns: (names: string[]) => names.slice(0, columnsMax).map((name) => name.trim().toLowerCase()),
      info: true,
      max_record_size: recordBytesMax,
      relax_column_count: true,
      skip_empty_lines: true,
    }),
  );
  let isFirst = true;
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      if (isFirst && record.tag === undefined) {
        yield { kind: 'unreadable', line: 1, message: `The first line must name the columns: ${csvColumns.join(',')}` };
        return;
      }
      isFirst = false;
      yield rowToLine(record, info.lines);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield { kind: 'unreadable', line: Number(error.lines ?? 1), message: 'From here on this is no CSV' };
  }
}

async function* splitText(text: string): AsyncGenerator<string> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + charactersTogether;
    if (isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
    yield text.slice(from, to);
    await letOthersRun();
  }
}

/** The first half of a pair must not be parted from the second. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function rowToLine(record: Partial<CsvCells>, line: number): TransferLine {
  const cell = (column: keyof CsvCells) => withoutFormulaGuard(record[column] ?? '');
  const [name, path] = [cell('tag'), cell('path')];
  if (path !== '') return { kind: 'link', line, name, path };
  return {
    kind: 'tag',
    line,
    name,
    description: cell('description') || null,
    color: cell('color') || null,
    aliases: splitAliases(cell('aliases')),
  };
}

/** Text in pieces: a row for each tag, and one for each video that it is on. */
export async function* writeCsv(tags: AsyncIterable<ExportedTag>): AsyncGenerator<string> {
  yield writeRows([csvColumns]);
  for await (const { name, description, color, aliases, videos } of tags) {
    yield writeRows([[name, description, color, joinAliases(aliases), '']]);
    for await (const paths of videos) yield writeRows(paths.map((path) => [name, '', '', '', path]));
  }
}

function writeRows(rows: readonly (readonly string[])[]): string {
  return stringify(rows.map((row) => row.map(withFormulaGuard)));
}

/** The columns of a file of tags and links. */
const csvColumns = ['tag', 'description', 'color', 'aliases', 'path'] as const;

/**
 * A spreadsheet runs a cell that begins like a formula; an apostrophe in front makes it text (OWASP, CSV injection).
 * What was guarded when it was written is unguarded when it is read.
 */
function withFormulaGuard(cell: string): string {
  return /^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

function withoutFormulaGuard(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/** Names in one cell, with a bar between them; a bar or backslash in a name has a backslash in front. */
function joinAliases(aliases: readonly string[]): string {
  return aliases.map((alias) => alias.replaceAll(/[\\|]/g, String.raw`\$&`)).join('|');
}

function splitAliases(cell: string): string[] {
  const names = cell.match(/(?:\\.|[^\\|])+/gsu) ?? [];
  return names.map((name) => name.replaceAll(/\\(.)/gsu, '$1').trim()).filter((name) => name !== '');
}

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

/** Text in pieces: one object, whose `tags` hold the paths of their videos. */
export async function* writeJson(tags: AsyncIterable<ExportedTag>): AsyncGenerator<string> {
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
  yield '\n]}\n';
}
