import { ArchiveRefused } from './archive-format.ts';

export type Row = Readonly<Record<string, string | number | Buffer | null>>;

/** A row as a line of JSON, without its end: columns by their names, bytes as `{"base64":…}`. The same on each database. */
export function toLine(row: Row): string {
  const columns = Object.keys(row).sort();
  return JSON.stringify(Object.fromEntries(columns.map((column) => [column, toJson(row[column] ?? null)])));
}

function toJson(value: Row[string]): unknown {
  return Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value;
}

/** Rows of one table, which have the same columns. @throws ArchiveRefused */
export function readLines(bytes: Buffer, member: string): Row[] {
  const lines = bytes.toString('utf8').split('\n');
  if (lines.pop() !== '') throw new ArchiveRefused(`${member} ends within a row.`);
  const rows = lines.map((line) => readLine(line, member));
  const columns = Object.keys(rows[0] ?? {}).join();
  if (rows.some((row) => Object.keys(row).join() !== columns))
    throw new ArchiveRefused(`${member} holds rows of different columns.`);
  return rows;
}

function readLine(line: string, member: string): Row {
  const parsed = parse(line);
  if (typeof parsed !== 'object' || parsed === null) throw new ArchiveRefused(`${member} holds a line that is no row.`);
  return Object.fromEntries(
    Object.entries(parsed).map(([column, value]) => [readColumn(column, member), readValue(value, member)]),
  );
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function readColumn(column: string, member: string): string {
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(column))
    throw new ArchiveRefused(`${member} holds a column without a proper name.`);
  return column;
}

function readValue(value: unknown, member: string): Row[string] {
  if (value === null || typeof value === 'string' || Number.isSafeInteger(value))
    return value as string | number | null;
  if (typeof value === 'object' && 'base64' in value && typeof value.base64 === 'string')
    return Buffer.from(value.base64, 'base64');
  throw new ArchiveRefused(`${member} holds a value of an unknown kind.`);
}
