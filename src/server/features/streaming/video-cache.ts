import type { Clock } from '../../clock.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/picking/tag-selection.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import type { Video } from '../videos/video.ts';

/** Rows that were just looked up: a player asks for one range of a video after the other. */
export interface VideoCache {
  /**
   * As of at most two seconds ago, and available by the sets of this moment; that its file is still the one that was
   * scanned is not for the row to say.
   */
  find(path: string): Promise<Video | null>;
  /** As of now. */
  findAgain(path: string): Promise<Video | null>;
}

const freshForMs = 2_000;
const maxVideos = 1_000;

const everything: TagSelection = { tags: [], mode: 'OR', blocked: [] };

export function createVideoCache(
  places: Pick<PathResolver, 'find'>,
  idSets: Pick<IdSets, 'matches'>,
  clock: Clock,
): VideoCache {
  /** The first that was looked up first. */
  const known = new Map<string, { video: Video; readAt: number }>();

  async function look(path: string): Promise<Video | null> {
    const readAt = clock.elapsed();
    const video = await places.find(path);
    known.delete(path);
    // What cannot be played is not worth remembering: there is no end to what does not exist, and the rest may be
    // playable in a moment.
    if (video?.isAvailable === true) known.set(path, { video, readAt });
    const [oldest] = known.size > maxVideos ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return video;
  }

  return {
    async find(path) {
      const entry = known.get(path);
      const isFresh = entry !== undefined && clock.elapsed() - entry.readAt < freshForMs;
      return isFresh && idSets.matches(everything, entry.video.number) ? entry.video : look(path);
    },
    findAgain: look,
  };
}
