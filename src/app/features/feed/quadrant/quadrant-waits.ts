import { limits } from '#contract/limits.ts';
import type { Effect, EventOf, Transition } from './quadrant-events.ts';
import type { QuadrantState, WaitReason } from './quadrant-state.ts';
import { isForLater } from './quadrant-state.ts';

/** Seconds after which a quadrant tries again by itself. */
function secondsUntilNextTry(reason: WaitReason): number {
  if (reason === 'video-error') return limits.retryVideoErrorSeconds;
  const isNotAvailable = reason === 'downloading' || reason === 'not-playable';
  return isNotAvailable ? limits.retryNotAvailableSeconds : limits.retryFailedLoadSeconds;
}

/** The call brought no video. The viewer reads why only where the video was for the screen. */
export function tryLater(state: QuadrantState, reason: WaitReason, now: number): Transition {
  return isForLater(state) ? waitForLater(state, reason, now) : waitForScreen(state, reason, now);
}

export function waitForScreen(
  state: QuadrantState,
  reason: WaitReason,
  now: number,
  effects: readonly Effect[] = [],
): Transition {
  const ms = secondsUntilNextTry(reason) * 1000;
  const until = state.isSeen ? now + ms : null;
  return [
    { ...state, activity: { kind: 'waiting', for: 'screen', reason, until } },
    [...effects, state.isSeen ? { type: 'wait', ms } : { type: 'stop' }],
  ];
}

/** Out of sight nothing is prepared, so nothing is waited for. */
export function waitForLater(
  state: QuadrantState,
  reason: WaitReason,
  now: number,
  effects: readonly Effect[] = [],
): Transition {
  if (!state.isSeen) return [{ ...state, activity: { kind: 'settled' } }, effects];
  const ms = secondsUntilNextTry(reason) * 1000;
  return [
    { ...state, activity: { kind: 'waiting', for: 'later', reason, until: now + ms } },
    [...effects, { type: 'wait', ms }],
  ];
}

/** No video that matches is available: either one is being made playable, or nothing will change by itself. */
export function waitForAvailable(state: QuadrantState, event: EventOf<'not-available'>, now: number): Transition {
  const { reason, processing } = event;
  const isUnderWay = processing !== null && processing.state !== 'failed';
  const delayed: QuadrantState = isForLater(state) ? state : { ...state, delay: { reason, processing } };
  return tryLater(delayed, isUnderWay ? 'downloading' : 'not-playable', now);
}
