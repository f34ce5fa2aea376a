import type { RoaringBitmap32 } from 'roaring-wasm';
import type { VideoList } from '#contract/entities/tagging.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { VideoSort } from '#contract/rules/tags/tag-lists.ts';
import type { WorkQueue } from '../../http/protection/work-queue.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import { newestOf } from '../../id-sets/picking/picker.ts';
import type { TagSelection } from '../../id-sets/picking/tag-selection.ts';
import type { FreshNames } from '../search/fresh-names.ts';
import type { NameOrder } from '../search/name-order.ts';
import type { TagCatalogue, TagsByName } from '../tags/tag-catalogue.ts';
import type { Audience } from '../videos/audience.ts';
import type { RequestedVideos } from './requested-videos.ts';
import { toSelection } from './requested-videos.ts';
import type { SearchDeps } from './search-videos.ts';
import { searchVideos } from './search-videos.ts';
import type { CardDeps } from './video-cards.ts';
import { readCards } from './video-cards.ts';

export interface BrowseDeps extends CardDeps {
  idSets: IdSets;
  tagCatalogue: TagCatalogue;
  freshNames: FreshNames;
  nameOrder: NameOrder;
  /** Searches take their turn here: up to some milliseconds each. */
  searches: WorkQueue;
}

export interface VideoPageRequest extends RequestedVideos {
  /** Nothing but blanks: every video. */
  search: string;
  sort: VideoSort;
  page: number;
  limit: number;
  audience: Audience;
  signal?: AbortSignal | undefined;
}

interface NumberPage {
  numbers: readonly number[];
  total: number;
}

/**
 * A page of available videos. Which ones and how many comes from the id sets, a search from the index of names, and the
 * order by name from memory; rows and tags of the page are one query each.
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
  const { search, sort, page, limit, signal } = request;
  const offset = (page - 1) * limit;
  if (sort === 'name') await deps.nameOrder.catchUp();
  const toPage = (numbers: RoaringBitmap32): NumberPage => ({
    numbers: sort === 'name' ? deps.nameOrder.page(numbers, offset, limit) : newestOf(numbers, offset, limit),
    total: numbers.size,
  });
  if (search === '') return deps.idSets.use(selection, toPage);
  return deps.searches.run(() => usingFound(toSearchDeps(deps, signal), selection, search, tags, toPage), signal);
}

/** What a search finds, as far as it is in the selection when it has ended. */
async function usingFound<Result>(
  deps: SearchDeps,
  selection: TagSelection,
  search: string,
  tags: TagsByName,
  use: (numbers: RoaringBitmap32) => Result,
): Promise<Result> {
  const found = await searchVideos(deps, selection, search, tags.list);
  const numbers = deps.idSets.within(selection, [found]);
  try {
    return use(numbers);
  } finally {
    found.dispose();
    numbers.dispose();
  }
}

export function toSearchDeps({ database, idSets, freshNames }: BrowseDeps, signal?: AbortSignal): SearchDeps {
  return { reader: database.reader, idSets, freshNames, signal };
}
