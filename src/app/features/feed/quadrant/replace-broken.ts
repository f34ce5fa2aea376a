import type { PlayerError } from '#app/playback/player/load-source.ts';
import { limits } from '#contract/limits.ts';
import type { FeedVideo } from './feed-video.ts';
import type { Effect, EventOf, Transition } from './quadrant-events.ts';
import { unpinEffects } from './quadrant-events.ts';
import type { QuadrantState } from './quadrant-state.ts';
import { comingOf, isSettled } from './quadrant-state.ts';
import { waitForLater, waitForScreen } from './quadrant-waits.ts';
import { remember } from './shown-history.ts';

/** A video that breaks so far from where it broke before has played in between. */
const playedOnSeconds = 10;

/**
 * A video error is told, and the next video follows after a moment. A pinned one is loaded again, until it has failed
 * too often.
 */
export function replaceBroken(state: QuadrantState, { error, at }: EventOf<'failed'>, now: number): Transition {
  const pinned = countPinnedFailure(state, state.activity.kind === 'coming' ? state.activity.at : at);
  const broken = comingOf(state) ?? state.shown;
  const [counted, avoided]: Transition = broken && !pinned ? avoid(state, broken, error) : [state, []];
  const effects = [...(state.pinned && !pinned ? unpinEffects : []), ...avoided];
  // Its replacement is asked for already.
  if (state.activity.kind === 'asking' && state.activity.for === 'screen') return [{ ...counted, pinned }, effects];
  return waitForScreen({ ...counted, pinned }, 'video-error', now, effects);
}

function countPinnedFailure({ pinned }: QuadrantState, at: number): QuadrantState['pinned'] {
  if (!pinned) return null;
  const failures = Math.abs(at - pinned.at) > playedOnSeconds ? 1 : pinned.failures + 1;
  return failures < limits.pinnedFailuresBeforeUnpin ? { ...pinned, failures, at } : null;
}

/** A prepared video gives no frames: the viewer has not missed it, and another one is prepared. */
export function replaceBrokenNext(state: QuadrantState, { error }: EventOf<'next-failed'>, now: number): Transition {
  if (!state.next) return [state, []];
  const [counted, avoided] = avoid({ ...state, next: null }, state.next, error);
  const effects: Effect[] = [...avoided, { type: 'doubt', video: state.next, error }];
  return isSettled(state) ? waitForLater(counted, 'video-error', now, effects) : [counted, effects];
}

/** A video that the network cut is not to blame. */
function avoid(state: QuadrantState, video: FeedVideo, error: PlayerError | null): Transition {
  return [remember(state, video.id), error === 'network' ? [] : [{ type: 'avoid', video }]];
}
