import { Readable } from 'node:stream';
import type { transferFormats } from '#contract/rules/tags/tag-change.ts';
import type { Database } from '../../database/connection.ts';
import type { TagCatalogue } from '../tags/tag-catalogue.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import type { ExportedTag } from './formats/transfer-line.ts';
import { writeCsv } from './formats/write-csv.ts';
import { writeJson } from './formats/write-json.ts';
import { listLinkedPlaces } from './linked-place-repository.ts';

export interface ExportDeps {
  database: Database;
  tagCatalogue: TagCatalogue;
  places: PathResolver;
}

/** What one query reads. */
const linksTogether = 1_000;

/**
 * All active tags and the videos that people put them on, as a file that an import takes. Links that come with folders
 * come again by themselves.
 */
export function exportTags(deps: ExportDeps, format: (typeof transferFormats)[number]): Readable {
  const write = format === 'csv' ? writeCsv : writeJson;
  return Readable.from(write(listExported(deps)), { objectMode: false });
}

async function* listExported(deps: ExportDeps): AsyncGenerator<ExportedTag> {
  const { list } = await deps.tagCatalogue.read();
  for (const { number, name, description, color, aliases } of list)
    yield { name, description, color, aliases, videos: pathsOf(deps, number) };
}

async function* pathsOf({ database, places }: ExportDeps, tagNumber: number): AsyncGenerator<string[]> {
  for (let after = 0; ; ) {
    const rows = await listLinkedPlaces(database.reader, tagNumber, after, linksTogether);
    yield rows.map((row) => places.pathOf(row));
    if (rows.length < linksTogether) return;
    after = rows.at(-1)?.number ?? after;
  }
}
