import { ask } from './ask.ts';
import { applyAddress, askAddress } from './ask-address.ts';
import { changeFilter } from './change-filter.ts';
import type { FeedVideo } from './feed-video.ts';
import { pin, unpin } from './pin-quadrant.ts';
import type { Effect, EventOf, QuadrantEvent, Transition } from './quadrant-events.ts';
import type { QuadrantState } from './quadrant-state.ts';
import { isForLater, isSettled, reasonOf } from './quadrant-state.ts';
import { tryLater, waitForAvailable } from './quadrant-waits.ts';
import { removeVideos } from './remove-videos.ts';
import { replaceBroken, replaceBrokenNext } from './replace-broken.ts';
import { commitShown } from './shown-history.ts';

/**
 * The transitions of one quadrant, in the order of the specification's §4. Pure: what has to be done is returned as
 * effects.
 * @param now epoch milliseconds
 */
export function reduceQuadrant(state: QuadrantState, event: QuadrantEvent, now: number): Transition {
  switch (event.type) {
    case 'pin':
      return pin(state, event, now);
    case 'unpin':
      return unpin(state);
    case 'interval-passed':
    case 'ended':
      return isSettled(state) && !state.pinned ? loadNext(state) : [state, []];
    case 'skip':
      return state.pinned ? [state, []] : loadNext(state);
    case 'skip-back':
      return state.pinned ? [state, []] : bring(state, event, [{ type: 'stop' }, { type: 'cancel' }], true);
    case 'failed':
      return askAddress(state, event) ?? replaceBroken(state, event, now);
    case 'addressed':
      return applyAddress(state, event);
    case 'next-failed':
      return replaceBrokenNext(state, event, now);
    case 'given':
      return takeGiven(state, event);
    case 'not-available':
      return waitForAvailable(state, event, now);
    case 'not-given':
      return tryLater(isForLater(state) ? state : { ...state, delay: null }, event.failure, now);
    case 'refused':
      return [{ ...state, activity: { kind: 'settled' }, delay: isForLater(state) ? state.delay : null }, []];
    case 'wait-over':
      return tryAgain(state);
    case 'shown':
      return commitShown(state);
    case 'prepare-next':
      return prepareNext(state);
    case 'drop-next':
      return dropNext(state);
    case 'play':
      return bring({ ...state, pinned: null }, { video: event.video, at: 0 }, playEffects);
    case 'place':
      return place(state, event);
    case 'hidden':
      return replaceHidden(state, event);
    case 'filter':
      return changeFilter(state, event);
    case 'pause':
      return [{ ...state, isPaused: event.isPaused }, [{ type: 'match-playback' }]];
    case 'seen':
      return resume({ ...state, isSeen: true });
    case 'unseen':
      return suspend(state);
    case 'recovered':
      return isWorthATry(state) ? tryAgain(state) : [state, []];
    case 'online':
      return state.isSeen && isWaitingForNetwork(state)
        ? ask(state, 'no-network')
        : [state, [{ type: 'consider-next' }]];
  }
}

const playEffects: readonly Effect[] = [{ type: 'stop' }, { type: 'cancel' }, { type: 'loop', isLooping: false }];

/** Another video for the screen: the prepared one at once. What is on its way to the screen is given up. */
function loadNext(state: QuadrantState): Transition {
  const { activity, next } = state;
  // The call that is open already brings the video to the screen.
  if (activity.kind === 'asking' && activity.for === 'later')
    return [{ ...state, activity: { kind: 'asking', for: 'screen', after: null } }, []];
  if (!next) return ask(state, null, [{ type: 'cancel' }]);
  const shown: QuadrantState = { ...state, activity: { kind: 'coming', video: next, at: 0, back: false }, next: null };
  return [shown, [{ type: 'cancel' }, { type: 'stop' }, { type: 'show-next', video: next }]];
}

function takeGiven(state: QuadrantState, given: EventOf<'given'>): Transition {
  if (!isForLater(state)) return bring({ ...state, delay: null }, given);
  return [
    { ...state, activity: { kind: 'settled' }, next: given.video },
    [{ type: 'prepare-next', video: given.video }],
  ];
}

function tryAgain(state: QuadrantState): Transition {
  const { activity, pinned } = state;
  if (activity.kind !== 'waiting') return [state, []];
  if (activity.for === 'later')
    return [{ ...state, activity: { kind: 'settled' } }, [{ type: 'stop' }, { type: 'consider-next' }]];
  if (activity.reason !== 'video-error') return ask(state, activity.reason);
  return pinned ? bring(state, pinned, [{ type: 'stop' }]) : loadNext(state);
}

function bring(
  state: QuadrantState,
  { video, at }: { video: FeedVideo; at: number },
  effects: readonly Effect[] = [],
  back = false,
): Transition {
  return [
    { ...state, activity: { kind: 'coming', video, at, back }, next: null },
    [...effects, { type: 'prepare', video, at }],
  ];
}

function prepareNext(state: QuadrantState): Transition {
  const { activity, shown, next, pinned, isSeen } = state;
  if (activity.kind !== 'settled' || !shown || next || pinned || !isSeen) return [state, []];
  return [{ ...state, activity: { kind: 'asking', for: 'later' } }, [{ type: 'ask' }]];
}

function dropNext(state: QuadrantState): Transition {
  if (isForLater(state))
    return [{ ...state, activity: { kind: 'settled' }, next: null }, [{ type: 'stop' }, { type: 'drop-next' }]];
  return [{ ...state, next: null }, [{ type: 'drop-next' }]];
}

function place(state: QuadrantState, { video, at, isPinned }: EventOf<'place'>): Transition {
  const pinned = isPinned ? { video, failures: 0, at } : null;
  // It was drawn from the other quadrant's filter.
  const moved: FeedVideo = { ...video, matching: state.shown?.matching ?? video.matching };
  return bring({ ...state, pinned, isGivenAway: true }, { video: moved, at }, [
    { type: 'stop' },
    { type: 'cancel' },
    { type: 'loop', isLooping: isPinned },
  ]);
}

/** Another video follows one that may be shown no more, also where that was pinned. */
function replaceHidden(state: QuadrantState, { ids }: EventOf<'hidden'>): Transition {
  const { rest, effects, isLacking } = removeVideos(state, ids);
  if (!isLacking) return [rest, [...effects, { type: 'consider-next' }]];
  const [next, more] = state.isSeen ? loadNext(rest) : giveUp(rest);
  return [next, [...effects, ...more]];
}

/** Out of sight: a quadrant without a video asks for one when it is seen. */
function giveUp(state: QuadrantState): Transition {
  return [{ ...state, activity: { kind: 'settled' } }, [{ type: 'cancel' }]];
}

/** Back in sight, what was not answered or waited for to its end is asked for. */
function resume(state: QuadrantState): Transition {
  if (state.activity.kind === 'settled' && !state.shown) return ask(state, null);
  if (state.activity.kind !== 'waiting') return [state, []];
  if (state.pinned) return tryAgain(state);
  return ask(state, reasonOf(state) === 'out-of-sight' ? null : reasonOf(state));
}

/** Out of sight neither calls nor timers go on. What the screen needs is asked for again later. */
function suspend(state: QuadrantState): Transition {
  const unseen: QuadrantState = { ...state, isSeen: false };
  const { activity } = state;
  if (isForLater(state)) return [{ ...unseen, activity: { kind: 'settled' } }, [{ type: 'stop' }]];
  if (activity.kind !== 'asking' && activity.kind !== 'waiting') return [unseen, []];
  return [
    { ...unseen, activity: { kind: 'waiting', for: 'screen', reason: reasonOf(state) ?? 'out-of-sight', until: null } },
    [{ type: 'stop' }],
  ];
}

/** The wait for the server ends. A broken video is told for its full two seconds. */
function isWorthATry({ activity }: QuadrantState): boolean {
  return (
    activity.kind === 'waiting' &&
    activity.until !== null &&
    (activity.for === 'later' || activity.reason !== 'video-error')
  );
}

function isWaitingForNetwork({ activity }: QuadrantState): boolean {
  return activity.kind === 'waiting' && activity.for === 'screen' && activity.reason === 'no-network';
}
