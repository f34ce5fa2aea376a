import { limits } from '#contract/limits.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/picking/tag-selection.ts';
import { filterByNames, readCandidates } from '../search/find-names.ts';
import type { SearchWord } from '../search/name-grams.ts';
import { readWords, SearchableName } from '../search/name-grams.ts';
import type { FindableTag } from '../tags/tag-catalogue.ts';
import { tagNameKey } from '../tags/tag-repository.ts';

interface SearchDeps {
  reader: Executor;
  idSets: Pick<IdSets, 'pageAmong' | 'pageOnAny'>;
}

const most = limits.searchedVideos;
/** Names that are looked at: nearly every candidate is a hit. */
const maxNamesRead = 2 * most;

/**
 * Videos of a selection whose file name, or a name of a tag on them, has all words of a search; newest first, the
 * newest `searchedVideos` at most.
 */
export async function searchVideos(
  deps: SearchDeps,
  selection: TagSelection,
  search: string,
  tags: readonly FindableTag[],
): Promise<number[]> {
  const words = readWords(search);
  if (words.length === 0) return [];
  const onTags = deps.idSets.pageOnAny(selection, findTags(tags, words), 0, most);
  const named = await findNamed(deps, selection, words);
  return [...new Set([...onTags, ...named])].sort((a, b) => b - a).slice(0, most);
}

function findTags(tags: readonly FindableTag[], words: readonly SearchWord[]): number[] {
  return tags
    .filter(
      ({ name, nameKey, aliases }) =>
        hasWords(name, nameKey, words) || aliases.some((alias) => hasWords(alias, tagNameKey(alias), words)),
    )
    .map((tag) => tag.number);
}

/** @param key the name as `tagNameKey` has it, by which nearly all are left out: only the others are worth taking apart */
function hasWords(name: string, key: string, words: readonly SearchWord[]): boolean {
  if (!words.every(({ text }) => key.includes(text))) return false;
  const searchable = new SearchableName(name);
  return words.every((word) => searchable.has(word));
}

async function findNamed(
  { reader, idSets }: SearchDeps,
  selection: TagSelection,
  words: readonly SearchWord[],
): Promise<number[]> {
  const found: number[] = [];
  let left = maxNamesRead;
  for await (const candidates of readCandidates(reader, words, most)) {
    const newest = idSets.pageAmong(selection, candidates, 0, left);
    left -= newest.length;
    for (let from = 0; from < newest.length && found.length < most; from += inListLength)
      found.push(...(await filterByNames(reader, newest.slice(from, from + inListLength), words)));
    if (found.length >= most || left === 0) break;
  }
  return found;
}
