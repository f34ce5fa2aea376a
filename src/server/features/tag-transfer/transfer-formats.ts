import { Readable } from 'node:stream';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';

/** The description of a tag in a file. Null: the file does not say. */
export interface TagLine {
  kind: 'tag';
  line: number;
  name: string;
  description: string | null;
  color: string | null;
  aliases: readonly string[];
}

/** A tag on a video, which is named by its public path. */
export interface LinkLine {
  kind: 'link';
  line: number;
  name: string;
  path: string;
}

/** A line that cannot be read, with the reason for the user. */
interface UnreadableLine {
  kind: 'unreadable';
  line: number;
  message: string;
}

/** An entry of a file of tags and links. `line` counts from 1: lines of CSV, tags of JSON. */
export type TransferLine = TagLine | LinkLine | UnreadableLine;

/** A tag with all data that a file contains about it. */
export interface ExportedTag {
  name: string;
  description: string;
  color: string;
  aliases: readonly string[];
  /** Paths of its videos, in pages. */
  videos: AsyncIterable<readonly string[]>;
}

/** Characters that are parsed before other work gets a turn. */
const charactersTogether = 65_536;
/** More than a path, a description and twenty names take. */
const recordBytesMax = 65_536;
/** Columns that are read. Further columns of a row are ignored. */
const columnsMax = 50;

type CsvCells = Record<(typeof csvColumns)[number], string>;
interface ParsedRow {
  record: Partial<CsvCells>;
  info: { lines: number };
}

/**
 * Reads CSV (RFC 4180) whose first line names the columns. A row without a path describes a
 * channel; a row with one assigns it to a video.
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

/** A surrogate pair must not be split between two pieces. */
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

/** CSV in pieces: a row for each tag, and one for each of its videos. */
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
 * A spreadsheet evaluates a cell that looks like a formula; a leading apostrophe makes it text
 * (OWASP, CSV injection). Reading removes the apostrophe again.
 */
function withFormulaGuard(cell: string): string {
  return /^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

function withoutFormulaGuard(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

/**
 * Joins names into one cell, separated by `|`. A backslash escapes `|` and backslashes in names.
 */
function joinAliases(aliases: readonly string[]): string {
  return aliases.map((alias) => alias.replaceAll(/[\\|]/g, String.raw`\$&`)).join('|');
}

function splitAliases(cell: string): string[] {
  const names = cell.match(/(?:\\.|[^\\|])+/gsu) ?? [];
  return names.map((name) => name.replaceAll(/\\(.)/gsu, '$1').trim()).filter((name) => name !== '');
}

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

/**
 * Reads JSON: an object whose `tags` contain names and the paths of their videos, or only the list
 * of tags.
 */
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
    // A byte order mark is not valid JSON.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
  const tags = Array.isArray(parsed) ? parsed : (parsed as { tags?: unknown } | null)?.tags;
  return Array.isArray(tags) ? tags : null;
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

/** JSON in pieces: one object whose `tags` contain the paths of their videos. */
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
