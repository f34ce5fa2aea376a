import { containerEntries } from './container-entries.ts';
import type { CorpusEntry } from './corpus-entry.ts';
import { oddEntries } from './odd-entries.ts';

/** Every file that is to be played. */
export const corpus: readonly CorpusEntry[] = [...containerEntries, ...oddEntries];

/** @throws when there is none of this name */
export function corpusEntry(file: string): CorpusEntry {
  const found = corpus.find((entry) => entry.file === file);
  if (found === undefined) throw new Error(`The corpus has no ${file}.`);
  return found;
}
