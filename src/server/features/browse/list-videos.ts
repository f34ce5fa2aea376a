import { RoaringBitmap32 } from 'roaring-wasm';
import type { VideoTag } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import type { Processing, Video as VideoReply } from '#contract/entities/video.ts';
import { showsPicture } from '#contract/rules/media-needs.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { FilterMode, VideoSort } from '#contract/rules/tag-filter.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { withoutRuns } from '../../id-sets/bits.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import { newestOf } from '../../id-sets/picker.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { WorkQueue } from '../../limits/work-queue.ts';
import type { FreshNames } from '../search/fresh-names.ts';
import type { VideoOrders } from '../search/video-order.ts';
import type { TagCatalogue, TagsByName } from '../tags/tag-catalogue.ts';
import { userRepository } from '../users/user-repository.ts';
import type { Audience } from '../videos/audience.ts';
import type { Favourites } from '../videos/favourites.ts';
import { selectSets } from '../videos/favourites.ts';
import type { LibraryVideo, PathResolver } from '../videos/video.ts';
import type { VideoPlays } from '../videos/video-plays.ts';
import type { MediaUrlDeps } from '../videos/video-reply.ts';
import { toVideoReply } from '../videos/video-reply.ts';
import type { TagLink } from '../videos/video-repository.ts';
import { videoRepository } from '../videos/video-repository.ts';
import type { SearchDeps } from './search-videos.ts';
import { searchVideos } from './search-videos.ts';

export interface BrowseDeps extends CardDeps {
  favourites: Pick<Favourites, 'numbersOf'>;
  idSets: IdSets;
  restrictedTags: RestrictedTags;
  tagCatalogue: TagCatalogue;
  freshNames: FreshNames;
  orders: VideoOrders;
  plays: Pick<VideoPlays, 'listMostPlayed'>;
  /** Runs searches one after the other; each takes up to some milliseconds. */
  searches: WorkQueue;
}

export interface VideoPageRequest extends RequestedVideos {
  /** Only spaces: every video. */
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
 * A page of available videos. The id sets select and count, the name index searches, and the
 * orders are in memory. Rows and tags of the page take one query each.
 */
export async function readVideoPage(deps: BrowseDeps, request: VideoPageRequest): Promise<VideoList> {
  const { page, limit } = request;
  const { rank } = request.audience;
  const tags = await deps.tagCatalogue.readFor(rank);
  const selection = await toSelection(deps, tags, { ...request, rank });
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
  const pageOf = await orderBy(deps, sort);
  const toPage = (numbers: RoaringBitmap32): NumberPage => ({
    numbers: pageOf(numbers, offset, limit),
    total: numbers.size,
  });
  if (search === '') return deps.idSets.use(selection, toPage);
  return deps.searches.run(() => usingFound(toSearchDeps(deps, signal), selection, search, tags, toPage), signal);
}

type PageOf = (numbers: RoaringBitmap32, offset: number, limit: number) => number[];

/** Returns a function that reads a page of some videos in an order. */
async function orderBy({ orders, plays }: BrowseDeps, sort: VideoSort): Promise<PageOf> {
  if (sort === 'newest') return newestOf;
  if (sort === 'played') {
    const played = await plays.listMostPlayed();
    return (numbers, offset, limit) => pageOfPlayed(numbers, played, offset, limit);
  }
  await orders[sort].catchUp();
  return (numbers, offset, limit) => orders[sort].page(numbers, offset, limit);
}

/** The played videos come first, and then the others, newest first. */
function pageOfPlayed(numbers: RoaringBitmap32, played: readonly number[], offset: number, limit: number): number[] {
  const first = played.filter((number) => numbers.has(number));
  const page = first.slice(offset, offset + limit);
  if (page.length === limit) return page;
  const others = new RoaringBitmap32(numbers);
  others.removeMany(first);
  page.push(...newestOf(withoutRuns(others), Math.max(0, offset - first.length), limit - page.length));
  others.dispose();
  return page;
}

/** Calls `use` with the search results that are in the selection when the search has ended. */
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
  return { reader: database.lists, idSets, freshNames, signal };
}

interface VideoRequest {
  id: string;
  /** The user whose stored blocklist applies; null: none. */
  userId: string | null;
  audience: Audience;
}

/**
 * One available video with a new URL.
 * @throws NotFound, also for a video that is blocked or withheld from the viewer
 */
export async function readOneVideo(deps: BrowseDeps, { id, userId, audience }: VideoRequest): Promise<VideoReply> {
  const { database, idSets, tagCatalogue } = deps;
  const { rank } = audience;
  const tags = await tagCatalogue.readFor(rank);
  const selection = await toSelection(deps, tags, { tagIds: [], blockedTagIds: [], mode: 'OR', userId, rank });
  const numbers = await videoRepository.findNumbers(database.reader, [id]);
  const shown = numbers.filter((number) => selection !== null && idSets.matches(selection, number));
  const [video] = await readCards(deps, shown, tags, audience);
  if (video === undefined) throw new NotFound('video');
  return video;
}

/** The filter of a request. */
interface RequestedVideos {
  tagIds: readonly string[];
  blockedTagIds: readonly string[];
  mode: FilterMode;
  /** The user whose stored blocklist applies as well; null: none. */
  userId: string | null;
}

/**
 * Resolves tag ids. Ids that no longer exist match nothing: OR leaves them out, AND becomes
 * impossible. Null when nothing can match. Several ids can mean one tag after a merge.
 * @param tags those that the viewer sees
 */
export async function toSelection(
  { database: { reader }, favourites, restrictedTags }: Pick<BrowseDeps, 'database' | 'favourites' | 'restrictedTags'>,
  tags: TagsByName,
  request: RequestedVideos & { rank: number },
): Promise<TagSelection | null> {
  const { blockedTagIds, mode, userId } = request;
  const sets = await selectSets(request, (person) => favourites.numbersOf(person));
  if (sets === null) return null;
  const { tagIds, ...limited } = sets;
  const chosen = numbersOf(tags, tagIds);
  const isImpossible = mode === 'AND' ? chosen.length < tagIds.length : chosen.length === 0 && tagIds.length > 0;
  if (isImpossible) return null;
  const stored = userId === null ? [] : await userRepository.readBlockedTagIds(reader, userId);
  const blocked = numbersOf(tags, [...blockedTagIds, ...stored]);
  const restrictedFrom = await restrictedTags.from(request.rank);
  return { tags: [...new Set(chosen)], mode, blocked: [...new Set(blocked)], restrictedFrom, ...limited };
}

function numbersOf({ byId }: TagsByName, ids: readonly string[]): number[] {
  return [...new Set(ids)].flatMap((id) => byId.get(id)?.number ?? []);
}

export interface CardDeps extends MediaUrlDeps {
  database: Database;
  idSets: Pick<IdSets, 'restricted'>;
  places: PathResolver;
  /** Finds the processing that is in progress for videos. */
  encodings: { findProcessing(videoNumbers: readonly number[]): Promise<ReadonlyMap<number, Processing>> };
}

/**
 * Available videos in the order of their numbers. A video that has just become unavailable is left
 * out. Whether the viewer may see them is the caller's to check.
 * @param tags those that the viewer sees
 */
export async function readCards(
  deps: CardDeps,
  numbers: readonly number[],
  tags: TagsByName,
  audience: Audience,
): Promise<VideoReply[]> {
  const { database, idSets, encodings } = deps;
  const read = async (from: Executor, some: readonly number[]) =>
    Promise.all([videoRepository.readCards(from, some), videoRepository.readTagLinks(from, some)]);
  const [known, knownLinks] = await read(database.lists, numbers);
  // The sets may have videos that a replica does not have yet.
  const newer = database.replica() === null ? [] : numbers.filter((number) => !known.has(number));
  const [added, addedLinks] = await read(database.reader, newer);
  const cards = new Map([...known, ...added]);
  const tagLinks = new Map([...knownLinks, ...addedLinks]);
  const lacking = [...cards.values()].filter(({ video }) => !showsSource(video, audience));
  const processing = await encodings.findProcessing(lacking.map(({ video }) => video.number));
  const replies = numbers.flatMap((number) => {
    const card = cards.get(number);
    if (card === undefined) return [];
    const tagsOfVideo = toVideoTags(tags, tagLinks.get(number) ?? []);
    const isForSome = idSets.restricted.isWithheld(0, number);
    const shown = { ...card, tags: tagsOfVideo, isForSome, processing: processing.get(number) ?? null };
    return [toVideoReply(deps, audience, shown)];
  });
  return Promise.all(replies);
}

/**
 * Whether the viewer's device plays the source. Processing of other videos is not shown to the
 * viewer.
 */
function showsSource({ isSourcePlayable, needs }: LibraryVideo, { device }: Audience): boolean {
  return isSourcePlayable && showsPicture(needs, device);
}

/** The tags of a video by name. Inactive ones are left out. */
function toVideoTags({ byNumber }: TagsByName, links: readonly TagLink[]): VideoTag[] {
  return links
    .flatMap(({ tagNumber, isByFolder }) => {
      const tag = byNumber.get(tagNumber);
      return tag === undefined ? [] : [{ tag, isByFolder }];
    })
    .sort((a, b) => a.tag.rank - b.tag.rank)
    .map(({ tag: { id, name, color }, isByFolder }) => ({ id, name, color, ...(isByFolder && { by_folder: true }) }));
}
