import { NotFound } from '../../http/pipeline/errors.ts';
import type { BrowseDeps } from '../browse/list-videos.ts';
import { toSelection } from '../browse/list-videos.ts';
import { findVideoById } from '../videos/poster-repository.ts';
import type { Video } from '../videos/video.ts';

export type ShownVideoDeps = Pick<BrowseDeps, 'database' | 'idSets' | 'tagCatalogue'>;

/** Who asks for something of a video. */
export interface Asker {
  /** Whose stored blocklist counts; null: nobody's. */
  userId: string | null;
  /** Also hidden videos are shown. */
  isAdmin: boolean;
}

/** @throws NotFound for what this person is not shown: gone, hidden, or in a channel that they block */
export async function findShownVideo(deps: ShownVideoDeps, id: string, { userId, isAdmin }: Asker): Promise<Video> {
  const video = await findVideoById(deps.database.reader, id);
  if (video === null) throw new NotFound('video');
  if (video.isHidden && isAdmin) return video;
  const tags = await deps.tagCatalogue.read();
  const all = { tagIds: [], blockedTagIds: [], mode: 'OR', userId } as const;
  const selection = await toSelection(deps.database, tags, all);
  if (selection === null || !deps.idSets.matches(selection, video.number)) throw new NotFound('video');
  return video;
}
