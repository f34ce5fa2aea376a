import { stringify } from 'csv-stringify/sync';
import { csvColumns, joinAliases, withFormulaGuard } from './csv-form.ts';
import type { ExportedTag } from './transfer-line.ts';

/** Text in pieces: a row for each tag, and one for each video that it is on. */
export async function* writeCsv(tags: AsyncIterable<ExportedTag>): AsyncGenerator<string> {
  yield toRows([csvColumns]);
  for await (const { name, description, color, aliases, videos } of tags) {
    yield toRows([[name, description, color, joinAliases(aliases), '']]);
    for await (const paths of videos) yield toRows(paths.map((path) => [name, '', '', '', path]));
  }
}

function toRows(rows: readonly (readonly string[])[]): string {
  return stringify(rows.map((row) => row.map(withFormulaGuard)));
}
