import { limits } from '#contract/limits.ts';
import type { Effect, Transition } from './quadrant-events.ts';
import type { QuadrantState, WaitReason } from './quadrant-state.ts';
import { isForLater } from './quadrant-state.ts';

/** Seconds after which a quadrant tries again by itself. */
function secondsUntilNextTry(reason: WaitReason): number {
  if (reason === 'video-error') return limits.retryVideoErrorSeconds;
  return reason === 'downloading' ? limits.retryNotAvailableSeconds : limits.retryFailedLoadSeconds;
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

/** A reason counts as often as it comes in a row. */
export function countDelay(state: QuadrantState, reason: string): QuadrantState {
  if (isForLater(state)) return state;
  return { ...state, delay: { reason, times: state.delay?.reason === reason ? state.delay.times + 1 : 1 } };
}
