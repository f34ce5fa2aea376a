import type { PlayerError } from '#app/playback/player/source-loading.ts';
import { needsOfPlayed } from '#app/playback/quality/playable-video.ts';
import { limits } from '#contract/limits.ts';
import type { Effect, EventOf, FeedVideo, QuadrantEvent, QuadrantState, Transition, WaitReason } from './quadrant.ts';
import {
  ask,
  comingOf,
  isForLater,
  isSaved,
  isSettled,
  reasonOf,
  retitle,
  tryLater,
  unpinEffects,
  waitForAvailable,
  waitForLater,
  waitForScreen,
} from './quadrant.ts';

/**
 * The transitions of one quadrant, in the order of the specification's §4. Pure: side effects are
 * returned, not performed.
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
    case 'titled':
      return [retitle(state, event), []];
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
      if (!isWaitingForNetwork(state)) return [state, [{ type: 'consider-next' }]];
      return state.pinned ? tryAgain(state) : ask(state, 'no-network');
  }
}

const playEffects: readonly Effect[] = [{ type: 'stop' }, { type: 'cancel' }, { type: 'loop', isLooping: false }];

/** Requests another video for the screen, or shows the prepared one at once. Cancels a coming one. */
function loadNext(state: QuadrantState): Transition {
  const { activity, next } = state;
  // The video of the open call goes to the screen instead.
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
  if (pinned) return bring(state, pinned, [{ type: 'stop' }]);
  return activity.reason === 'video-error' ? loadNext(state) : ask(state, activity.reason);
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
  // `matching` counts the other quadrant's playlist, so this quadrant's count is kept.
  const moved: FeedVideo = { ...video, matching: state.shown?.matching ?? video.matching, unseen: undefined };
  return bring({ ...state, pinned, isGivenAway: true }, { video: moved, at }, [
    { type: 'stop' },
    { type: 'cancel' },
    { type: 'loop', isLooping: isPinned },
  ]);
}

/** Replaces videos that may no longer be shown, even pinned ones. */
function replaceHidden(state: QuadrantState, { ids }: EventOf<'hidden'>): Transition {
  const { rest, effects, isLacking } = removeVideos(state, ids);
  if (!isLacking) return [rest, [...effects, { type: 'consider-next' }]];
  const [next, more] = state.isSeen ? loadNext(rest) : giveUp(rest);
  return [next, [...effects, ...more]];
}

/** A quadrant that is out of sight requests its video when it is visible again. */
function giveUp(state: QuadrantState): Transition {
  return [{ ...state, activity: { kind: 'settled' } }, [{ type: 'cancel' }]];
}

/** Back in sight: interrupted calls and waits for the screen start again. */
function resume(state: QuadrantState): Transition {
  if (state.activity.kind === 'settled' && !state.shown) return ask(state, null);
  if (state.activity.kind !== 'waiting') return [state, []];
  if (state.pinned) return tryAgain(state);
  return ask(state, reasonOf(state) === 'out-of-sight' ? null : reasonOf(state));
}

/**
 * Out of sight: calls and timers end. Requests for the screen are made again when the quadrant is
 * visible.
 */
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

/** Whether a wait for the server can end early. The message of a broken video stays for 2 seconds. */
function isWorthATry({ activity }: QuadrantState): boolean {
  return (
    activity.kind === 'waiting' &&
    activity.until !== null &&
    (activity.for === 'later' || activity.reason !== 'video-error')
  );
}

const offline: readonly WaitReason[] = ['no-network', 'no-saved'];

function isWaitingForNetwork({ activity, isSeen }: QuadrantState): boolean {
  if (!isSeen || activity.kind !== 'waiting') return false;
  return activity.for === 'screen' && offline.includes(activity.reason);
}

/**
 * Stops auto-advance and loops the video. The prepared or coming video is dropped; a video that has
 * just failed is loaded again.
 */
function pin(state: QuadrantState, { at, hasFailed }: EventOf<'pin'>, now: number): Transition {
  if (!state.shown) return [state, []];
  if (state.isGivenAway) return pinComing(state);
  const pinned: QuadrantState = {
    ...state,
    activity: { kind: 'settled' },
    pinned: { video: state.shown, failures: 0, at },
    next: null,
  };
  const effects: Effect[] = [
    { type: 'stop' },
    { type: 'cancel' },
    { type: 'drop-next' },
    { type: 'loop', isLooping: true },
  ];
  return hasFailed ? waitForScreen(pinned, 'video-error', now, effects) : [pinned, effects];
}

function pinComing(state: QuadrantState): Transition {
  if (state.activity.kind !== 'coming') return [state, []];
  const { video, at } = state.activity;
  return [{ ...state, pinned: { video, failures: 0, at } }, [{ type: 'loop', isLooping: true }]];
}

/** A filter changed in the meantime takes effect now, even before a coming pinned video is shown. */
function unpin(state: QuadrantState): Transition {
  const unpinned = { ...state, pinned: null };
  if (state.isFilterPending && (isSettled(state) || comingOf(state)))
    return ask(unpinned, null, [{ type: 'cancel' }, ...unpinEffects]);
  return [unpinned, [...unpinEffects, { type: 'consider-next' }]];
}

/**
 * Drops every video picked by the old filter, and the past ones. The video on screen stays until
 * another one has a frame; a pinned one stays while it is pinned.
 */
function changeFilter(state: QuadrantState, { filter }: EventOf<'filter'>): Transition {
  const changed: QuadrantState = {
    ...state,
    ...{ filter, isFilterPending: state.shown !== null, delay: null, next: null, past: [] },
    recent: state.shown ? [state.shown.id] : [],
  };
  if (state.pinned) return [changed, []];
  return ask(changed, null, [{ type: 'stop' }, { type: 'cancel' }, { type: 'drop-next' }]);
}

/**
 * Adds the video that leaves the screen to `past`; after a skip back it becomes the next one
 * instead.
 */
function commitShown(state: QuadrantState): Transition {
  const { activity, shown: left } = state;
  const restart: Effect = { type: 'restart-interval' };
  if (activity.kind !== 'coming') return [state, [restart]];
  const { video, back } = activity;
  const past = back ? state.past.slice(state.past.findIndex(({ id }) => id === video.id) + 1) : state.past;
  const shown: QuadrantState = {
    ...remember(state, video.id),
    activity: { kind: 'settled' },
    shown: video,
    isGivenAway: false,
    // A pinned video was already coming when the filter changed.
    isFilterPending: state.isFilterPending && state.pinned !== null,
    past,
  };
  if (left?.id === video.id) return [shown, [restart]];
  const effects: Effect[] = [{ type: 'watched', id: video.id }, restart];
  if (!left || state.isFilterPending) return [shown, effects];
  if (back && !state.isGivenAway)
    return [{ ...shown, next: left }, [{ type: 'prepare-next', video: left }, ...effects]];
  const others = past.filter(({ id }) => id !== left.id);
  return [{ ...shown, past: newestFirst(left, others) }, effects];
}

/** Adds the id to the recent ones, which picks avoid. */
function remember(state: QuadrantState, id: string): QuadrantState {
  return {
    ...state,
    recent: newestFirst(
      id,
      state.recent.filter((other) => other !== id),
    ),
  };
}

function newestFirst<Item>(newest: Item, others: readonly Item[]): Item[] {
  return [newest, ...others].slice(0, limits.recentVideosPerQuadrant);
}

const addressErrors: readonly unknown[] = ['network', 'unsupported'];

/**
 * Requests another URL for the same video, which continues at its position: a URL may fail before
 * its video ends, because its signature expires, its file is removed, or this device cannot play
 * it. Returns null when another URL would not help.
 */
function askAddress(state: QuadrantState, { error, at, isFinal }: EventOf<'failed'>): Transition | null {
  const { activity } = state;
  const video = comingOf(state) ?? (isSettled(state) && !state.isGivenAway ? state.shown : null);
  if (isFinal || !video || !state.isSeen || !/[?&]expires=/.test(video.url)) return null;
  if (!addressErrors.includes(error) && !needsOfPlayed(video)) return null;
  const coming = activity.kind === 'coming' ? activity : { kind: 'coming' as const, video, at, back: false };
  return [
    { ...state, activity: coming, next: null },
    [{ type: 'drop-next' }, { type: 'ask-address', video, at: coming.at, error, isOnScreen: coming !== activity }],
  ];
}

/**
 * Applies the new URL of a video, pinned or not: a coming video loads from there; one on screen
 * already does.
 */
function applyAddress(state: QuadrantState, { video }: EventOf<'addressed'>): Transition {
  const { activity, pinned, shown } = state;
  if (activity.kind !== 'coming' || activity.video.id !== video.id)
    return [shown?.id === video.id ? { ...state, shown: video } : state, []];
  return [
    { ...state, activity: { ...activity, video }, pinned: pinned && { ...pinned, video } },
    [{ type: 'prepare', video, at: activity.at }],
  ];
}

/** A video that fails this far from its last failure has played in between. */
const playedOnSeconds = 10;

/**
 * Shows a video error, and the next video after a delay. A pinned video is loaded again until it
 * has failed too often.
 */
function replaceBroken(state: QuadrantState, { error, at }: EventOf<'failed'>, now: number): Transition {
  const pinned = countPinnedFailure(state, state.activity.kind === 'coming' ? state.activity.at : at);
  const broken = comingOf(state) ?? state.shown;
  const [counted, avoided]: Transition = broken && !pinned ? avoid(state, broken, error) : [state, []];
  const effects = [...(state.pinned && !pinned ? unpinEffects : []), ...avoided];
  // A saved video is replaced at once: its bytes are gone, and the viewer can do nothing about it.
  if (broken && isSaved(broken) && !pinned) return ask({ ...counted, pinned: null }, null, effects);
  // Its replacement is already requested.
  if (state.activity.kind === 'asking' && state.activity.for === 'screen') return [{ ...counted, pinned }, effects];
  return waitForScreen({ ...counted, pinned }, 'video-error', now, effects);
}

function countPinnedFailure({ pinned }: QuadrantState, at: number): QuadrantState['pinned'] {
  if (!pinned) return null;
  const failures = Math.abs(at - pinned.at) > playedOnSeconds ? 1 : pinned.failures + 1;
  return failures < limits.pinnedFailuresBeforeUnpin ? { ...pinned, failures, at } : null;
}

/** A prepared video gives no frames: another one is prepared, without a message. */
function replaceBrokenNext(state: QuadrantState, { error }: EventOf<'next-failed'>, now: number): Transition {
  if (!state.next) return [state, []];
  const [counted, avoided] = avoid({ ...state, next: null }, state.next, error);
  const effects: Effect[] = isSaved(state.next)
    ? [...avoided]
    : [...avoided, { type: 'doubt', video: state.next, error }];
  return isSettled(state) ? waitForLater(counted, 'video-error', now, effects) : [counted, effects];
}

/** Adds the video to the recent ones, and to the broken ones unless the network failed. */
function avoid(state: QuadrantState, video: FeedVideo, error: PlayerError | null): Transition {
  return [remember(state, video.id), error === 'network' ? [] : [{ type: 'avoid', video }]];
}

interface Removal {
  /**
   * The state without the videos on screen, prepared, pinned or past. The coming video stays in it.
   */
  rest: QuadrantState;
  effects: readonly Effect[];
  /** The video on screen, or the coming one, was removed, and no other one is coming. */
  isLacking: boolean;
}

/** Removes videos that may no longer be shown from a quadrant's state. */
function removeVideos(state: QuadrantState, ids: readonly string[]): Removal {
  const isGone = (video: FeedVideo | null | undefined) => Boolean(video && ids.includes(video.id));
  const { shown, next, pinned, past } = state;
  const effects: Effect[] = [];
  const rest = { ...state, past: past.filter((video) => !isGone(video)) };
  if (isGone(pinned?.video)) {
    rest.pinned = null;
    effects.push(...unpinEffects);
  }
  if (isGone(next)) {
    rest.next = null;
    effects.push({ type: 'drop-next' });
  }
  if (isGone(shown)) {
    Object.assign(rest, { shown: null, isGivenAway: false });
    effects.push({ type: 'clear' });
  }
  const isLacking = isGone(comingOf(state)) || (isGone(shown) && isSettled(state));
  return { rest, effects, isLacking };
}
