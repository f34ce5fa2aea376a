import type { Video } from '#contract/entities/video.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { Audience } from '../videos/audience.ts';
import { findVideoNumbers } from '../videos/video-repository.ts';
import type { BrowseDeps } from './list-videos.ts';
import { toSelection } from './requested-videos.ts';
import { readCards } from './video-cards.ts';

export interface VideoRequest {
  id: string;
  /** Whose stored blocklist counts; null: nobody's. */
  userId: string | null;
  audience: Audience;
}

/** One available video, with an address that is good from now on. @throws NotFound, also for one that is blocked */
export async function readVideo(deps: BrowseDeps, { id, userId, audience }: VideoRequest): Promise<Video> {
  const { database, idSets, tagCatalogue } = deps;
  const tags = await tagCatalogue.read();
  const selection = await toSelection(database, tags, { tagIds: [], blockedTagIds: [], mode: 'OR', userId });
  const numbers = await findVideoNumbers(database.reader, [id]);
  const shown = numbers.filter((number) => selection !== null && idSets.matches(selection, number));
  const [video] = await readCards(deps, shown, tags, audience);
  if (video === undefined) throw new NotFound('video');
  return video;
}
