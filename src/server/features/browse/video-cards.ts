import type { TagLabel } from '#contract/entities/tag.ts';
import type { Video } from '#contract/entities/video.ts';
import type { Database } from '../../database/connection.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { TagsByName } from '../tags/tag-catalogue.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import { readTagNumbers, readVideoCards } from '../videos/video-page-repository.ts';
import { toVideoReply } from '../videos/video-reply.ts';

export interface CardDeps {
  database: Database;
  places: PathResolver;
  mediaUrls: MediaUrlSigner;
}

/**
 * Available videos in the order of their numbers; one that has gone within this second is left out.
 * @param viewer whom their addresses are signed for
 */
export async function readCards(
  { database, places, mediaUrls }: CardDeps,
  numbers: readonly number[],
  tags: TagsByName,
  viewer: string,
): Promise<Video[]> {
  const [cards, tagNumbers] = await Promise.all([
    readVideoCards(database.reader, numbers),
    readTagNumbers(database.reader, numbers),
  ]);
  return numbers.flatMap((number) => {
    const card = cards.get(number);
    if (card === undefined) return [];
    const labels = toLabels(tags, tagNumbers.get(number) ?? []);
    return [toVideoReply(places, mediaUrls, { ...card, tags: labels, viewer })];
  });
}

/** By name; those that are not active are left out. */
function toLabels({ byNumber }: TagsByName, numbers: readonly number[]): TagLabel[] {
  return numbers
    .flatMap((number) => byNumber.get(number) ?? [])
    .sort((a, b) => a.rank - b.rank)
    .map(({ id, name, color }) => ({ id, name, color }));
}
