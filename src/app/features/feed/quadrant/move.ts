import { playerOf } from '#app/playback/player/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { bring, stay } from '../supply/quadrant-supply.ts';
import { feed } from './feed-state.ts';
import type { FeedVideo } from './feed-video.ts';

/** What a quadrant shows, or is about to show. */
interface Stand {
  video: FeedVideo;
  /** Seconds into it. */
  at: number;
  isPinned: boolean;
}

/** What has to be known of the feed to tell whether pictures can change places. */
interface Places {
  readonly expanded: Quadrant | null;
  readonly requests: Readonly<Record<Quadrant, { readonly shown: unknown }>>;
}

/** Pictures change places while all four are in sight, each with a video. */
export function canMove({ expanded, requests }: Places): boolean {
  return expanded === null && quadrants.every((quadrant) => requests[quadrant].shown !== null);
}

/** Moves a video to another quadrant, whose own comes here: each goes on at its second, and a pin goes with its video. */
export function move(from: Quadrant, to: Quadrant): void {
  const [mine, theirs] = [standOf(from), standOf(to)];
  if (!mine || !theirs) return;
  take(from, theirs);
  take(to, mine);
}

function standOf(quadrant: Quadrant): Stand | null {
  const { shown, coming, comingAt, isPinned } = feed.requests[quadrant];
  if (coming) return { video: coming, at: comingAt, isPinned };
  return shown && { video: shown, at: playerOf(quadrant).position, isPinned };
}

function take(quadrant: Quadrant, { video, at, isPinned }: Stand): void {
  stay(quadrant);
  Object.assign(feed.requests[quadrant], { isPinned, pinnedFailures: 0 });
  playerOf(quadrant).setLooping(isPinned);
  bring(quadrant, video, at);
}
