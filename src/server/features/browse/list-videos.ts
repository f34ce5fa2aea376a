import type { VideoList } from '#contract/entities/tagging.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Database } from '../../database/connection.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { FindableTag, TagCatalogue } from '../tags/tag-catalogue.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import { readTagNumbers, readVideoCards } from '../videos/video-page-repository.ts';
import { toVideoReply } from '../videos/video-reply.ts';
import type { RequestedVideos } from './requested-videos.ts';
import { toSelection } from './requested-videos.ts';

export interface BrowseDeps {
  database: Database;
  idSets: IdSets;
  tagCatalogue: TagCatalogue;
  places: PathResolver;
  mediaUrls: MediaUrlSigner;
}

export interface VideoPageRequest extends RequestedVideos {
  page: number;
  limit: number;
  /** Whom the addresses are signed for. */
  viewer: string;
}

/**
 * A page of available videos. Which ones and how many comes from the id sets; rows and tags of the page are one query
 * each.
 */
export async function readVideoPage(deps: BrowseDeps, request: VideoPageRequest): Promise<VideoList> {
  const { page, limit } = request;
  const tags = await deps.tagCatalogue.read();
  const selection = await toSelection(deps.database, tags, request);
  const { numbers, total } =
    selection === null ? { numbers: [], total: 0 } : pageOf(deps.idSets, selection, (page - 1) * limit, limit);
  return {
    videos: await readCards(deps, numbers, tags, request.viewer),
    total,
    total_pages: lastPageOf(total, limit),
    page,
    limit,
  };
}

function pageOf(
  idSets: IdSets,
  selection: TagSelection,
  offset: number,
  limit: number,
): { numbers: readonly number[]; total: number } {
  return idSets.page(selection, offset, limit);
}

/** In the order of the numbers; a video that has gone within this second is left out. */
async function readCards(
  { database, places, mediaUrls }: BrowseDeps,
  numbers: readonly number[],
  tags: readonly FindableTag[],
  viewer: string,
): Promise<VideoList['videos']> {
  const [cards, tagNumbers] = await Promise.all([
    readVideoCards(database.reader, numbers),
    readTagNumbers(database.reader, numbers),
  ]);
  return numbers.flatMap((number) => {
    const card = cards.get(number);
    if (card === undefined) return [];
    const onVideo = tagNumbers.get(number);
    const labels = tags.filter((tag) => onVideo?.has(tag.number)).map(({ id, name, color }) => ({ id, name, color }));
    return [toVideoReply(places, mediaUrls, { ...card, tags: labels, viewer })];
  });
}
