import { needsOfPlayed } from '#app/playback/quality/playable-video.ts';
import type { EventOf, Transition } from './quadrant-events.ts';
import type { QuadrantState } from './quadrant-state.ts';
import { comingOf, isSettled } from './quadrant-state.ts';

const addressErrors: readonly unknown[] = ['network', 'unsupported'];

/**
 * An address may die before its video ends: its signature runs out, its file is removed, or this device does not play
 * it. The same video goes on at its second from another one, if there is one. Null: another one would not help.
 */
export function askAddress(state: QuadrantState, { error, at, isFinal }: EventOf<'failed'>): Transition | null {
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

/** The video has another address, also where it is pinned: it comes from there, or does already. */
export function applyAddress(state: QuadrantState, { video }: EventOf<'addressed'>): Transition {
  const { activity, pinned, shown } = state;
  if (activity.kind !== 'coming' || activity.video.id !== video.id)
    return [shown?.id === video.id ? { ...state, shown: video } : state, []];
  return [
    { ...state, activity: { ...activity, video }, pinned: pinned && { ...pinned, video } },
    [{ type: 'prepare', video, at: activity.at }],
  ];
}
