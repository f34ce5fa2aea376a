import { Readable } from 'node:stream';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { csvColumns, splitAliases, withoutFormulaGuard } from './csv-form.ts';
import type { TransferLine } from './transfer-line.ts';

/** What is parsed before others have their turn. */
const charactersTogether = 65_536;
/** More than a path, a description and twenty names take. */
const recordBytesMax = 65_536;
/** Each row becomes an object with so many keys at most: what stands further right is not read. */
const columnsMax = 50;

type Columns = Record<(typeof csvColumns)[number], string>;
interface Parsed {
  record: Partial<Columns>;
  info: { lines: number };
}

/**
 * Rows of CSV (RFC 4180) whose first line names the columns. A row without a path describes a channel, one with a path
 * puts it on a video.
 */
export async function* readCsv(text: string): AsyncGenerator<TransferLine> {
  const parser = Readable.from(pieces(text)).pipe(
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
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      if (isFirst && record.tag === undefined) {
        yield { kind: 'unreadable', line: 1, message: `The first line must name the columns: ${csvColumns.join(',')}` };
        return;
      }
      isFirst = false;
      yield toLine(record, info.lines);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield { kind: 'unreadable', line: Number(error.lines ?? 1), message: 'From here on this is no CSV' };
  }
}

async function* pieces(text: string): AsyncGenerator<string> {
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

function toLine(record: Partial<Columns>, line: number): TransferLine {
  const cell = (column: keyof Columns) => withoutFormulaGuard(record[column] ?? '');
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
