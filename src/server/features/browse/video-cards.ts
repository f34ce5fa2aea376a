import type { VideoTag } from '#contract/entities/tag.ts';
import type { Processing, Video as VideoReply } from '#contract/entities/video.ts';
import { showsPicture } from '#contract/rules/media/needs.ts';
import type { Database } from '../../database/connection.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { TagsByName } from '../tags/tag-catalogue.ts';
import type { Audience } from '../videos/audience.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import type { Video } from '../videos/video.ts';
import type { TagLink } from '../videos/video-page-repository.ts';
import { readTagLinks, readVideoCards } from '../videos/video-page-repository.ts';
import { toVideoReply } from '../videos/video-reply.ts';

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
