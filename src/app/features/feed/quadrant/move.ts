import { playerOf } from '#app/playback/player/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed } from './feed-state.ts';
import type { FeedVideo } from './feed-video.ts';
import { machines } from './quadrant-machine.ts';

/** What a quadrant shows, or is about to show. */
interface Placement {
  video: FeedVideo;
  /** Seconds into it. */
  at: number;
  isPinned: boolean;
}

/** What has to be known of the feed to tell whether videos can change places. */
interface Places {
  readonly expanded: Quadrant | null;
  readonly quadrants: Readonly<Record<Quadrant, { readonly shown: unknown }>>;
}

/** Videos change places while all four are in sight. */
export function canMove({ expanded, quadrants: states }: Places): boolean {
  return expanded === null && quadrants.every((quadrant) => states[quadrant].shown !== null);
}

/**
 * Moves a video to another quadrant, whose own comes here: each goes on at its second, and a pin goes with its video.
 */
export function move(from: Quadrant, to: Quadrant): void {
  const [mine, theirs] = [placementOf(from), placementOf(to)];
  if (!mine || !theirs) return;
  machines[from].send({ type: 'place', ...theirs });
  machines[to].send({ type: 'place', ...mine });
}

function placementOf(quadrant: Quadrant): Placement | null {
  const { activity, shown, pinned, isGivenAway } = feed.quadrants[quadrant];
  const isPinned = pinned !== null;
  if (activity.kind === 'coming') return { video: activity.video, at: activity.at, isPinned };
  if (isGivenAway) return pinned && { ...pinned, isPinned };
  return shown && { video: shown, at: playerOf(quadrant).position, isPinned };
}
