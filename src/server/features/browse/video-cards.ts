import type { TagLabel } from '#contract/entities/tag.ts';
import type { Processing, Video } from '#contract/entities/video.ts';
import type { Database } from '../../database/connection.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { TagsByName } from '../tags/tag-catalogue.ts';
import type { Audience } from '../videos/audience.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import { readTagNumbers, readVideoCards } from '../videos/video-page-repository.ts';
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
): Promise<Video[]> {
  const [cards, tagNumbers, processing] = await Promise.all([
    readVideoCards(database.reader, numbers),
    readTagNumbers(database.reader, numbers),
    encodings.findProcessing(numbers),
  ]);
  return numbers.flatMap((number) => {
    const card = cards.get(number);
    if (card === undefined) return [];
    const labels = toLabels(tags, tagNumbers.get(number) ?? []);
    const shown = { ...card, tags: labels, processing: processing.get(number) ?? null };
    return [toVideoReply(places, mediaUrls, audience, shown)];
  });
}

/** By name; those that are not active are left out. */
function toLabels({ byNumber }: TagsByName, numbers: readonly number[]): TagLabel[] {
  return numbers
    .flatMap((number) => byNumber.get(number) ?? [])
    .sort((a, b) => a.rank - b.rank)
    .map(({ id, name, color }) => ({ id, name, color }));
}
