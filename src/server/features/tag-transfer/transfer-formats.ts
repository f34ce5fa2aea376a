import { Readable } from 'node:stream';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';

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

/** The texts of a video, which is named by its public path. Null: the file does not say. */
export interface DetailsLine {
  kind: 'details';
  line: number;
  path: string;
  title: string | null;
  description: string | null;
}

/** A line that cannot be read, with the reason for the user. */
interface UnreadableLine {
  kind: 'unreadable';
  line: number;
  message: string;
}

/** An entry of a file. `line` counts from 1: lines of CSV, the tags and then the videos of JSON. */
export type TransferLine = TagLine | LinkLine | DetailsLine | UnreadableLine;

/** A tag with all data that a file contains about it. */
export interface ExportedTag {
  name: string;
  description: string;
  color: string;
  aliases: readonly string[];
  /** Paths of its videos, in pages. */
  videos: AsyncIterable<readonly string[]>;
}

/** The texts that people gave a video; null where they gave none. */
export type ExportedDetails = Pick<DetailsLine, 'path' | 'title' | 'description'>;

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

/** Semicolons separate the cells where a spreadsheet writes decimals with a comma. */
const delimiters = [',', ';', '\t'];

/**
 * Reads CSV (RFC 4180) whose first line names the columns. A row without a path describes a
 * channel, a row with one assigns it to a video, and a row without a channel says what the video is
 * called.
 */
export async function* readCsv(text: string): AsyncGenerator<TransferLine> {
  let columns: string[] = [];
  const parser = Readable.from(splitText(text)).pipe(
    parse({
      bom: true,
      columns: (names: string[]) => {
        columns = names.slice(0, columnsMax).map((name) => name.trim().toLowerCase());
        return columns;
      },
      delimiter: findDelimiter(text),
      info: true,
      max_record_size: recordBytesMax,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    }),
  );
  try {
    for await (const { record, info } of parser as AsyncIterable<ParsedRow>) {
      if (!columns.includes('tag')) {
        yield { kind: 'unreadable', line: 1, message: `The first line must name the columns: ${csvColumns.join(',')}` };
        return;
      }
      yield rowToLine(record, info.lines);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield { kind: 'unreadable', line: Number(error.lines ?? 1), message: 'From here on this is no CSV' };
  }
}

/** The one by which the first line names the column of channels. */
function findDelimiter(text: string): string {
  const [firstLine = ''] = /[^\r\n\ufeff]+/.exec(text.slice(0, recordBytesMax)) ?? [];
  const names = firstLine.toLowerCase().replaceAll('"', '');
  const isFound = (delimiter: string) => names.split(delimiter).some((name) => name.trim() === 'tag');
  return delimiters.find(isFound) ?? ',';
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
  const texts = { title: cell('title') || null, description: cell('video_description') || null };
  const hasTexts = texts.title !== null || texts.description !== null;
  if (path !== '' && name.trim() === '' && hasTexts) return { kind: 'details', line, path, ...texts };
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

/** CSV in pieces: a row for each tag, for each of its videos, and for each video's texts. */
export async function* writeCsv(
  tags: AsyncIterable<ExportedTag>,
  details: AsyncIterable<readonly ExportedDetails[]>,
): AsyncGenerator<string> {
  yield writeRows([csvColumns]);
  for await (const { name, description, color, aliases, videos } of tags) {
    yield writeRows([[name, description, color, joinAliases(aliases), '', '', '']]);
    for await (const paths of videos) yield writeRows(paths.map((path) => [name, '', '', '', path, '', '']));
  }
  for await (const videos of details)
    yield writeRows(
      videos.map(({ path, title, description }) => ['', '', '', '', path, title ?? '', description ?? '']),
    );
}

function writeRows(rows: readonly (readonly string[])[]): string {
  return stringify(rows.map((row) => row.map(withFormulaGuard)));
}

/** The columns of a file. Files without the last two are older. */
const csvColumns = ['tag', 'description', 'color', 'aliases', 'path', 'title', 'video_description'] as const;

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
