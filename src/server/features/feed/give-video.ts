import type { PickReply } from '#contract/entities/feed.ts';
import type { Database } from '../../database/connection.ts';
import { Refusal } from '../../http/errors.ts';
import type { MediaUrlSigner } from '../../http/signed-urls.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import { sayWhyUnplayable } from '../../media/unplayable.ts';
import { findPoster } from '../videos/poster-repository.ts';
import type { VideoPlaces } from '../videos/video-places.ts';
import { readTagLabels } from '../videos/video-repository.ts';
import type { PickWish } from './pick.ts';
import { pickVideo } from './pick.ts';
import { toPickReply } from './to-pick-reply.ts';

export interface VideoGiver {
  database: Database;
  idSets: IdSets;
  places: VideoPlaces;
  mediaUrls: MediaUrlSigner;
}

/**
 * Draws a video, and says all that a player needs to know of it.
 * @param viewer whom its address is signed for
 * @throws Refusal 404 when none matches
 */
export async function giveVideo({ database, idSets, places, mediaUrls }: VideoGiver, wish: PickWish, viewer: string): Promise<PickReply> {
  const pick = await pickVideo(database, idSets, wish);
  if (pick.kind === 'none') throw new Refusal('no_videos_available');
  if (pick.kind === 'unavailable') return notYet(sayWhyUnplayable(pick.reason));
  const tags = await readTagLabels(database.reader, pick.video.number);
  const poster = await findPoster(database.reader, pick.video);
  return toPickReply(places, mediaUrls, { ...pick, tags, poster, viewer });
}

function notYet(message: string): PickReply {
  return { available: false, message, id: null, path: null, filename: null, url: null, matching: 0 };
}
