import type { VideoList } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { videoSorts } from '#contract/rules/tag-lists.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import { sortByNames } from '../search/find-names.ts';
import type { TagCatalogue, TagsByName } from '../tags/tag-catalogue.ts';
import type { RequestedVideos } from './requested-videos.ts';
import { toSelection } from './requested-videos.ts';
import { searchVideos } from './search-videos.ts';
import type { CardDeps } from './video-cards.ts';
import { readCards } from './video-cards.ts';

export interface BrowseDeps extends CardDeps {
  idSets: IdSets;
  tagCatalogue: TagCatalogue;
}

export interface VideoPageRequest extends RequestedVideos {
  /** Nothing but blanks: every video. */
  search: string;
  sort: (typeof videoSorts)[number];
  page: number;
  limit: number;
  /** Whom the addresses are signed for. */
  viewer: string;
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
    videos: await readCards(deps, numbers, tags, request.viewer),
    total,
    total_pages: lastPageOf(total, limit),
    page,
    limit,
  };
}

async function findNumbers(
  { database: { reader }, idSets }: BrowseDeps,
  selection: TagSelection,
  tags: TagsByName,
  { search, sort, page, limit }: VideoPageRequest,
): Promise<NumberPage> {
  const offset = (page - 1) * limit;
  if (search === '' && sort === 'newest') return idSets.page(selection, offset, limit);
  const found =
    search === ''
      ? idSets.page(selection, 0, limits.searchedVideos).numbers
      : await searchVideos({ reader, idSets }, selection, search, tags.list);
  const sorted = sort === 'newest' ? found : await sortByNames(reader, found);
  return { numbers: sorted.slice(offset, offset + limit), total: sorted.length };
}
