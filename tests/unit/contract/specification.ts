import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Row = Record<string, string>;

interface Table {
  section: number;
  heading: string;
  columns: string[];
  rows: Row[];
  /** The rows as they are written. */
  lines: string[];
}

const lines = readFileSync(new URL('../../../src/contract/specification.md', import.meta.url), 'utf8').split('\n');

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** The texts of all code that the product runs, but for the tables of the contract that tests compare. */
export function readCode(): string[] {
  const files = globSync(['src/{app,contract,device,server}/**/*.{ts,tsx}', 'sw/**/*.ts'], { cwd: project });
  return files
    .filter((file) => !/contract\/(?:limits|(?:start-)?failures|confirmations|notices)\.ts$/.test(file))
    .map((file) => readFileSync(`${project}${file}`, 'utf8'));
}

/** The headings under each section number: a reference like `§4 Quadrant` leads to one of them. */
export const headings = readHeadings();

const tables = readTables();

/**
 * All rows of the tables of one section that have these columns first; throws where there are none, so that nothing is
 * compared with nothing.
 */
export function rowsOf(section: number, ...columns: string[]): Row[] {
  const rows = tables
    .filter((table) => table.section === section && columns.every((column, place) => table.columns[place] === column))
    .flatMap(({ rows }) => rows);
  if (rows.length === 0) throw new Error(`§${section} has no table with the columns ${columns.join(', ')}`);
  return rows;
}

/** What stands in code marks in the column `Sentence` of one section's tables, under their headings. */
export function sentencesOf(section: number): { heading: string; where: string; sentence: string }[] {
  return tables
    .filter((table) => table.section === section && table.columns.includes('Sentence'))
    .flatMap(({ heading, columns, lines }) => lines.map((line) => ({ heading, cells: splitRow(line), columns })))
    .flatMap(({ heading, cells, columns }) =>
      [...(cells[columns.indexOf('Sentence')] ?? '').matchAll(/`([^`]+)`/g)].map(([, sentence = '']) => ({
        heading,
        where: cells[0] ?? '',
        sentence,
      })),
    );
}

function readHeadings(): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const line of lines) {
    const section = /^## (\d)\. (.+)$/.exec(line);
    if (section) found.set(Number(section[1]), [section[2]!]);
    const heading = /^### (.+)$/.exec(line);
    if (heading) [...found.values()].pop()!.push(heading[1]!);
  }
  return found;
}

function readTables(): Table[] {
  const found: Table[] = [];
  let section = 0;
  let heading = '';
  for (const [place, line] of lines.entries()) {
    section = Number(/^## (\d)\. /.exec(line)?.[1] ?? section);
    heading = /^### (.+)$/.exec(line)?.[1] ?? heading;
    if (/^\|(-+\|)+$/.test(lines[place + 1] ?? ''))
      found.push({ section, heading, columns: cellsOf(line), rows: [], lines: [] });
    else if (line.startsWith('|') && !line.startsWith('|-')) addRow(found[found.length - 1]!, line);
  }
  return found;
}

function addRow(table: Table, line: string): void {
  const cells = cellsOf(line);
  if (cells.length !== table.columns.length)
    throw new Error(`${table.heading}: ${cells.length} cells instead of ${table.columns.length} in ${line}`);
  table.lines.push(line);
  table.rows.push(Object.fromEntries(table.columns.map((column, place) => [column, cells[place]!])));
}

/** The cells of a line; one that is all code loses its marks, and its `\n` becomes a line break. */
function cellsOf(line: string): string[] {
  return splitRow(line).map((cell) => (/^`([^`]+)`$/.exec(cell)?.[1] ?? cell).replaceAll('\\n', '\n'));
}

function splitRow(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}
