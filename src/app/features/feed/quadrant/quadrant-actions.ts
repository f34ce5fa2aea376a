import { playerOf } from '#app/playback/player/player-store.ts';
import { may } from '#app/state/may.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { freePosition, isTakenElsewhere } from '../supply/pick-exclusions.ts';
import { feed } from './feed-state.ts';
import type { FeedVideo } from './feed-video.ts';
import { machines } from './quadrant-machine.ts';

type Pausable = Readonly<Record<Quadrant, { readonly isPaused: boolean }>>;

export function togglePin(quadrant: Quadrant): void {
  if (may('video_controls')) setPinned(quadrant, !feed.quadrants[quadrant].pinned);
}

export function setPinned(quadrant: Quadrant, isPinned: boolean): void {
  const { position, hasFailed } = playerOf(quadrant);
  machines[quadrant].send(isPinned ? { type: 'pin', at: position, hasFailed } : { type: 'unpin' });
}

export function skip(quadrant: Quadrant): void {
  if (may('video_controls')) machines[quadrant].send({ type: 'skip' });
}

/** Brings the last video back that was shown here and that no other quadrant has now. */
export function skipBack(quadrant: Quadrant): void {
  const video = lastFree(quadrant);
  if (!may('video_controls') || !video) return;
  machines[quadrant].send({
    type: 'skip-back',
    video,
    at: freePosition(feed, quadrant, video, (other) => playerOf(other).position),
  });
}

/** From the second press on, before the first one's video has come, it leads one further. */
function lastFree(quadrant: Quadrant): FeedVideo | undefined {
  const { past, activity } = feed.quadrants[quadrant];
  const comesBack = activity.kind === 'coming' && activity.back ? activity.video.id : null;
  const from = comesBack === null ? 0 : past.findIndex(({ id }) => id === comesBack) + 1;
  return past.slice(from).find((video) => !isTakenElsewhere(feed, quadrant, video));
}

/** The Play/Pause key of one quadrant. */
export function togglePaused(quadrant: Quadrant): void {
  setPaused(quadrant, !feed.quadrants[quadrant].isPaused);
}

export function setPaused(quadrant: Quadrant, isPaused: boolean): void {
  machines[quadrant].send({ type: 'pause', isPaused });
}

export function setAllPaused(isPaused: boolean): void {
  for (const quadrant of quadrants) setPaused(quadrant, isPaused);
}

export function areAllPaused(states: Pausable): boolean {
  return quadrants.every((quadrant) => states[quadrant].isPaused);
}
