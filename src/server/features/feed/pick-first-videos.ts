import type { FirstPicks } from '#contract/entities/feed.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tags/tag-filter.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { Audience } from '../videos/audience.ts';
import type { GiveVideo } from './give-video.ts';

/** Of the quadrants that are named; the others draw from all videos. */
export type FirstFilters = Partial<Record<Quadrant, TagFilter>>;

const everything: TagFilter = { tagIds: [], mode: 'OR' };

/**
 * One video for each quadrant, none for one whose filter nothing matches; one repeats another only when there are fewer
 * than four.
 * @param isWaitedFor false: nothing is made playable for it
 * @throws Refusal 404 when there is none at all
 */
export async function pickFirstVideos(
  giveVideo: GiveVideo,
  audience: Audience,
  filters: FirstFilters = {},
  isWaitedFor = true,
): Promise<FirstPicks> {
  const picks: FirstPicks = {};
  let refusal: unknown = null;
  for (const quadrant of quadrants) {
    const exclude = Object.values(picks).flatMap(({ id }) => id ?? []);
    const filter = filters[quadrant] ?? everything;
    try {
      picks[quadrant] = await giveVideo({ ...filter, blockedTagIds: [], exclude, userId: null, isWaitedFor }, audience);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'no_videos_available') throw error;
      refusal = error;
    }
  }
  if (Object.keys(picks).length === 0) throw refusal;
  return picks;
}
