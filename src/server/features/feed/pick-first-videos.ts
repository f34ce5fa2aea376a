import type { FirstPicks, PickReply } from '#contract/entities/feed.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { GiveVideo } from './give-video.ts';

/**
 * One video for each quadrant; one repeats another only when there are fewer than four.
 * @throws Refusal 404 when there is none at all
 */
export async function pickFirstVideos(giveVideo: GiveVideo, viewer: string): Promise<FirstPicks> {
  const given: [Quadrant, PickReply][] = [];
  for (const quadrant of quadrants) {
    const exclude = given.flatMap(([, { id }]) => id ?? []);
    given.push([
      quadrant,
      await giveVideo({ tagIds: [], blockedTagIds: [], mode: 'OR', exclude, userId: null }, viewer),
    ]);
  }
  return Object.fromEntries(given) as FirstPicks;
}
