import type { VideoList } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { VideoSort } from '#contract/rules/tags/tag-lists.ts';
import type { WorkQueue } from '../../http/protection/work-queue.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/picking/tag-selection.ts';
import { sortByNames } from '../search/find-names.ts';
import type { TagCatalogue, TagsByName } from '../tags/tag-catalogue.ts';
import type { Audience } from '../videos/audience.ts';
import type { RequestedVideos } from './requested-videos.ts';
import { toSelection } from './requested-videos.ts';
import { searchVideos } from './search-videos.ts';
import type { CardDeps } from './video-cards.ts';
import { readCards } from './video-cards.ts';

export interface BrowseDeps extends CardDeps {
  idSets: IdSets;
  tagCatalogue: TagCatalogue;
  /** Searches take their turn here, and whatever else reads many names: up to some milliseconds each. */
  searches: WorkQueue;
}

export interface VideoPageRequest extends RequestedVideos {
  /** Nothing but blanks: every video. */
  search: string;
  sort: VideoSort;
  page: number;
  limit: number;
  audience: Audience;
}

interface NumberPage {
  numbers: readonly number[];
  total: number;
}

/**
 * A page of available videos. Which ones and how many comes from the id sets, and a search from the index of names;
 * rows and tags of the page are one query each.
 */
export async function readVideoPage(deps: BrowseDeps, request: VideoPageRequest): Promise<VideoList> {
  const { page, limit } = request;
  const tags = await deps.tagCatalogue.read();
  const selection = await toSelection(deps.database, tags, request);
  const { numbers, total } =
    selection === null ? { numbers: [], total: 0 } : await findNumbers(deps, selection, tags, request);
  return {
    videos: await readCards(deps, numbers, tags, request.audience),
    total,
    total_pages: lastPageOf(total, limit),
    page,
    limit,
  };
}

async function findNumbers(
  deps: BrowseDeps,
  selection: TagSelection,
  tags: TagsByName,
  request: VideoPageRequest,
): Promise<NumberPage> {
  const { search, sort, page, limit } = request;
  const offset = (page - 1) * limit;
  if (search === '' && sort === 'newest') return deps.idSets.page(selection, offset, limit);
  const numbers = await deps.searches.run(() => findByNames(deps, selection, tags, request));
  return { numbers: numbers.slice(offset, offset + limit), total: numbers.length };
}

async function findByNames(
  { database: { reader }, idSets }: BrowseDeps,
  selection: TagSelection,
  tags: TagsByName,
  { search, sort }: VideoPageRequest,
): Promise<number[]> {
  const found =
    search === ''
      ? idSets.page(selection, 0, limits.searchedVideos).numbers
      : await searchVideos({ reader, idSets }, selection, search, tags.list);
  return sort === 'newest' ? found : sortByNames(reader, found);
}
