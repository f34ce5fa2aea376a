import type { RoaringBitmap32 } from 'roaring-wasm';
import type { VideoTag } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import type { Processing, Video as VideoReply } from '#contract/entities/video.ts';
import { showsPicture } from '#contract/rules/media-needs.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { FilterMode } from '#contract/rules/tag-filter.ts';
import type { VideoSort } from '#contract/rules/tag-lists.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { WorkQueue } from '../../http/protection/work-queue.ts';
import type { MediaUrlSigner } from '../../http/signing.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import { newestOf } from '../../id-sets/picker.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { FreshNames } from '../search/fresh-names.ts';
import type { NameOrder } from '../search/name-order.ts';
import type { TagCatalogue, TagsByName } from '../tags/tag-catalogue.ts';
import { readBlockedTagIds } from '../users/user-repository.ts';
import type { Audience } from '../videos/audience.ts';
import type { PathResolver, Video } from '../videos/video.ts';
import { toVideoReply } from '../videos/video-reply.ts';
import type { TagLink } from '../videos/video-repository.ts';
import { findVideoNumbers, readTagLinks, readVideoCards } from '../videos/video-repository.ts';
import type { SearchDeps } from './search-videos.ts';
import { searchVideos } from './search-videos.ts';

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

interface VideoRequest {
  id: string;
  /** Whose stored blocklist counts; null: nobody's. */
  userId: string | null;
  audience: Audience;
}

/** One available video, with an address that is good from now on. @throws NotFound, also for one that is blocked */
export async function readVideo(deps: BrowseDeps, { id, userId, audience }: VideoRequest): Promise<VideoReply> {
  const { database, idSets, tagCatalogue } = deps;
  const tags = await tagCatalogue.read();
  const selection = await toSelection(database, tags, { tagIds: [], blockedTagIds: [], mode: 'OR', userId });
  const numbers = await findVideoNumbers(database.reader, [id]);
  const shown = numbers.filter((number) => selection !== null && idSets.matches(selection, number));
  const [video] = await readCards(deps, shown, tags, audience);
  if (video === undefined) throw new NotFound('video');
  return video;
}

/** Which videos somebody asks for. */
interface RequestedVideos {
  tagIds: readonly string[];
  blockedTagIds: readonly string[];
  mode: FilterMode;
  /** Whose stored blocklist counts too; null: nobody's. */
  userId: string | null;
}

/**
 * Ids that no longer exist match nothing: OR leaves them out, AND cannot be met. Null when nothing can match. Several
 * may mean one tag, after a merge.
 */
export async function toSelection(
  { reader }: Pick<Database, 'reader'>,
  tags: TagsByName,
  { tagIds, blockedTagIds, mode, userId }: RequestedVideos,
): Promise<TagSelection | null> {
  const chosen = numbersOf(tags, tagIds);
  const isImpossible = mode === 'AND' ? chosen.length < tagIds.length : chosen.length === 0 && tagIds.length > 0;
  if (isImpossible) return null;
  const stored = userId === null ? [] : await readBlockedTagIds(reader, userId);
  const blocked = numbersOf(tags, [...blockedTagIds, ...stored]);
  return { tags: [...new Set(chosen)], mode, blocked: [...new Set(blocked)] };
}

function numbersOf({ byId }: TagsByName, ids: readonly string[]): number[] {
  return [...new Set(ids)].flatMap((id) => byId.get(id)?.number ?? []);
}

export interface CardDeps {
  database: Database;
  places: PathResolver;
  mediaUrls: MediaUrlSigner;
  /** Knows what is being done on videos. */
  encodings: { findProcessing(videoNumbers: readonly number[]): Promise<ReadonlyMap<number, Processing>> };
}

/** Available videos in the order of their numbers; one that has gone within this second is left out. */
export async function readCards(
  { database, places, mediaUrls, encodings }: CardDeps,
  numbers: readonly number[],
  tags: TagsByName,
  audience: Audience,
): Promise<VideoReply[]> {
  const [cards, tagLinks] = await Promise.all([
    readVideoCards(database.reader, numbers),
    readTagLinks(database.reader, numbers),
  ]);
  const lacking = [...cards.values()].filter(({ video }) => !showsSource(video, audience));
  const processing = await encodings.findProcessing(lacking.map(({ video }) => video.number));
  return numbers.flatMap((number) => {
    const card = cards.get(number);
    if (card === undefined) return [];
    const tagsOfVideo = toVideoTags(tags, tagLinks.get(number) ?? []);
    const shown = { ...card, tags: tagsOfVideo, processing: processing.get(number) ?? null };
    return [toVideoReply(places, mediaUrls, audience, shown)];
  });
}

/** Work on any other is of no interest to whoever looks at it. */
function showsSource({ isSourcePlayable, needs }: Video, { device }: Audience): boolean {
  return isSourcePlayable && showsPicture(needs, device);
}

/** By name; those that are not active are left out. */
function toVideoTags({ byNumber }: TagsByName, links: readonly TagLink[]): VideoTag[] {
  return links
    .flatMap(({ tagNumber, isByFolder }) => {
      const tag = byNumber.get(tagNumber);
      return tag === undefined ? [] : [{ tag, isByFolder }];
    })
    .sort((a, b) => a.tag.rank - b.tag.rank)
    .map(({ tag: { id, name, color }, isByFolder }) => ({ id, name, color, ...(isByFolder && { by_folder: true }) }));
}
