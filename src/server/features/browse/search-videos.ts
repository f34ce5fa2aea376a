import { RoaringBitmap32 } from 'roaring-wasm';
import { limits } from '#contract/limits.ts';
import type { Executor } from '../../database/tables.ts';
import { withoutRuns } from '../../id-sets/bits.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { FreshNames } from '../search/fresh-names.ts';
import type { SearchWord } from '../search/name-grams.ts';
import { readWords, SearchableName } from '../search/name-grams.ts';
import { filterByNames, findParts, readShared } from '../search/name-index.ts';
import type { FindableTag } from '../tags/tag-catalogue.ts';
import { tagNameKey } from '../tags/tag-repository.ts';

export interface SearchDeps {
  reader: Executor;
  idSets: Pick<IdSets, 'within' | 'onAny'>;
  freshNames: FreshNames;
  /** Ends the search between two of its queries. */
  signal?: AbortSignal | undefined;
}

/**
 * The rarest parts of all words narrow the search most. Each is up to 128 KiB for a million videos.
 */
const partsFirst = 4;
/** This many more parts are read when the first ones leave many videos. */
const partsMore = 8;

/**
 * All videos of a selection whose file name, or the name of one of their tags, contains all words
 * of a search. The caller owns the set.
 */
export async function searchVideos(
  deps: SearchDeps,
  selection: TagSelection,
  search: string,
  tags: readonly FindableTag[],
): Promise<RoaringBitmap32> {
  const words = readWords(search);
  if (words.length === 0) return new RoaringBitmap32();
  await deps.freshNames.catchUp();
  // The fresh names are read before the index, because names that leave them are in the index by
  // then.
  const fresh = deps.freshNames.find(words);
  const found = await findIndexed(deps, selection, words);
  found.addMany(fresh);
  const onTags = deps.idSets.onAny(selection, findTags(tags, words));
  found.orInPlace(onTags);
  onTags.dispose();
  return withoutRuns(found);
}

function findTags(tags: readonly FindableTag[], words: readonly SearchWord[]): number[] {
  return tags
    .filter(
      ({ name, nameKey, aliases }) =>
        hasWords(name, nameKey, words) || aliases.some((alias) => hasWords(alias, tagNameKey(alias), words)),
    )
    .map((tag) => tag.number);
}

/** @param key the name as made by `tagNameKey`, a quick test that rules out nearly all names */
function hasWords(name: string, key: string, words: readonly SearchWord[]): boolean {
  if (!words.every(({ text }) => key.includes(text))) return false;
  const searchable = new SearchableName(name);
  return words.every((word) => searchable.has(word));
}

/**
 * The videos that the name index finds. Up to `comparedNames` candidates are compared with the
 * words. If more have all parts of the words, all count as found, because nearly all of them match.
 */
async function findIndexed(
  { reader, idSets, freshNames, signal }: SearchDeps,
  selection: TagSelection,
  words: readonly SearchWord[],
): Promise<RoaringBitmap32> {
  const parts = await findParts(reader, words);
  if (parts === null) return new RoaringBitmap32();
  const narrow = async (videos: RoaringBitmap32 | null, some: typeof parts): Promise<RoaringBitmap32> => {
    const shared = await readShared(reader, some, signal);
    const both = idSets.within(selection, videos === null ? [shared] : [shared, videos]);
    shared.dispose();
    videos?.dispose();
    return both;
  };
  const more = parts.slice(partsFirst, partsFirst + partsMore);
  let found = await narrow(null, parts.slice(0, partsFirst));
  if (found.size > limits.comparedNames && more.length > 0) found = await narrow(found, more);
  found.removeMany(freshNames.list());
  if (found.size > limits.comparedNames) return found;
  try {
    const compared = await filterByNames(reader, found.toArray(), words, signal);
    found.clear();
    found.addMany(compared);
    return found;
  } catch (error) {
    found.dispose();
    throw error;
  }
}
