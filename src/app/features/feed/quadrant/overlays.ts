import { proxy, subscribe } from 'valtio/vanilla';
import { drawsBeforePlaying, isIos } from '#app/platform/capabilities.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import type { PlayerFacts } from '#app/playback/player/player-facts.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import { startFailures } from '#contract/start.ts';
import { after } from '#device/timers.ts';
import { feed } from '../feed-state.ts';
import type { Failure, FeedVideo, QuadrantState } from './quadrant.ts';
import { comingOf, failureOf, isApplyingFilter, reasonOf } from './quadrant.ts';

interface Overlay {
  message: OverlayMessage | null;
  /** The title of a video that has just started. */
  banner: string | null;
  /** URL of the poster that is shown until the first frame. */
  poster: string | null;
  /** The title of a video that waits for a decoder and has no frame; a poster covers it. */
  restingName: string | null;
}

/** Most first frames take less; they do not share the bandwidth with a poster. */
const posterDelayMs = 250;

/** The overlays of each video: messages of its phase, some of them delayed. */
export const overlays = proxy<Record<Quadrant, Overlay>>(
  byQuadrant(() => ({ message: null, banner: null, poster: null, restingName: null })),
);

/** Updates the overlays with every change. Returns a function that stops it. */
export function watchOverlays(): () => void {
  const stops = quadrants.map(watchOverlay);
  return () => {
    for (const stop of stops) stop();
  };
}

function watchOverlay(quadrant: Quadrant): () => void {
  const updaters = [messageUpdater(quadrant), bannerUpdater(quadrant), posterUpdater(quadrant)];
  let known: readonly unknown[] = [];
  const update = () => {
    const inputs = readInputs(quadrant);
    if (inputs.every((input, at) => input === known[at])) return;
    known = inputs;
    for (const { update } of updaters) update();
  };
  const facts = isIos() ? playerFacts : playerFacts[quadrant];
  const stops = [subscribe(feed.quadrants[quadrant], update), subscribe(facts, update)];
  update();
  return () => {
    for (const stop of stops) stop();
    for (const { end } of updaters) end();
  };
}

/**
 * All values that the overlays depend on. A quadrant and its player change more often: a video that
 * is prepared in the background changes no overlay.
 */
function readInputs(quadrant: Quadrant): readonly unknown[] {
  const state = feed.quadrants[quadrant];
  const { hasFrame, isPaused } = playerFacts[quadrant];
  const { shown, filter, isFilterPending, delay } = state;
  return [
    phaseOf(state, playerFacts[quadrant]),
    failureOf(state),
    isApplyingFilter(state),
    comingOf(state),
    ...[shown, filter === null, isFilterPending, delay, hasFrame, isPaused, isLowPower()],
  ];
}

interface Updater {
  update(): void;
  end(): void;
}

/** Shows a wait message over a frame after 400 ms only: most waits are over by then. */
function messageUpdater(quadrant: Quadrant): Updater {
  const overlay = overlays[quadrant];
  let cancelDelay: (() => void) | null = null;

  const show = (message: OverlayMessage | null) => {
    end();
    overlay.message = message;
  };
  const update = () => {
    const message = currentMessage(quadrant);
    const isDelayed = message?.kind === 'wait' && overlay.message?.kind !== 'wait' && playerFacts[quadrant].hasFrame;
    if (!isDelayed) return show(message);
    overlay.message = null;
    cancelDelay ??= after(limits.bufferingShowsAfterMs, () => show(currentMessage(quadrant)));
  };
  const end = () => {
    cancelDelay?.();
    cancelDelay = null;
  };
  return { update, end };
}

function currentMessage(quadrant: Quadrant): OverlayMessage | null {
  const state = feed.quadrants[quadrant];
  return overlayMessage({
    phase: isLowPower() ? 'idle' : phaseOf(state, playerFacts[quadrant]),
    failure: failureOf(state),
    delay: state.delay,
    isFiltered: state.filter !== null,
    isApplyingFilters: isApplyingFilter(state),
    isFilterPending: state.isFilterPending,
  });
}

/**
 * iOS refuses all four without a tap, although they are muted: one message stands over the grid.
 */
export function isLowPower(): boolean {
  return isIos() && quadrants.every((quadrant) => playerFacts[quadrant].isBlocked && playerFacts[quadrant].isMuted);
}

function bannerUpdater(quadrant: Quadrant): Updater {
  const overlay = overlays[quadrant];
  let announced = feed.quadrants[quadrant].shown;
  let cancel = () => {};

  const hide = () => {
    cancel();
    overlay.banner = null;
  };
  const update = () => {
    const { shown } = feed.quadrants[quadrant];
    const { isPaused } = playerFacts[quadrant];
    if (!shown || shown === announced || isPaused) return;
    hide();
    announced = shown;
    overlay.banner = shown.title;
    cancel = after(limits.filenameBannerMs, hide);
  };
  return { update, end: hide };
}

/**
 * Shows a poster until the first frame: WebKit draws no frame before playback starts, and on a slow
 * network the first frame takes long.
 */
function posterUpdater(quadrant: Quadrant): Updater {
  const overlay = overlays[quadrant];
  let played: FeedVideo | null = null;
  let cancelDelay: (() => void) | null = null;

  const end = () => {
    cancelDelay?.();
    cancelDelay = null;
    overlay.poster = null;
  };
  const show = () => {
    overlay.poster = posterOf(quadrant, played);
  };
  const update = () => {
    const { hasFrame, isPaused, isResting } = playerFacts[quadrant];
    overlay.restingName = isResting && !hasFrame ? (dueIn(quadrant)?.title ?? null) : null;
    if (hasFrame && !isPaused) played = feed.quadrants[quadrant].shown;
    if (posterOf(quadrant, played) === null) end();
    else if (overlay.poster !== null) show();
    else cancelDelay ??= after(posterDelayMs, show);
  };
  return { update, end };
}

/** @param played the last video that played here: every engine has drawn a frame of it */
function posterOf(quadrant: Quadrant, played: FeedVideo | null): string | null {
  const { shown } = feed.quadrants[quadrant];
  if (!playerFacts[quadrant].hasFrame) return dueIn(quadrant)?.posterUrl ?? null;
  return drawsBeforePlaying() || shown === played ? null : (shown?.posterUrl ?? null);
}

/** The video whose frame is missing in a quadrant. */
function dueIn(quadrant: Quadrant): FeedVideo | null {
  const state = feed.quadrants[quadrant];
  return comingOf(state) ?? (playerFacts[quadrant].isResting ? state.shown : null);
}

export type OverlayMessage =
  /**
   * Work is in progress. `progress`: from 0 to 100, null before it begins, undefined when unknown.
   */
  | { kind: 'wait'; text: string; progress?: number | null }
  | { kind: 'error'; text: string }
  /** The viewer must tap to play. */
  | { kind: 'tap'; text: string }
  /**
   * The whole quadrant shows that there are no videos. `isFiltered`: none that its filter allows.
   */
  | { kind: 'no-videos'; isFiltered?: boolean }
  /** No saved video matches the filter, and there is no network. */
  | { kind: 'no-saved' };

interface Overlaid {
  phase: Phase;
  failure: Failure | null;
  delay?: QuadrantState['delay'];
  isFiltered?: boolean;
  isApplyingFilters?: boolean;
  /** The filter has changed since the video on screen was picked. */
  isFilterPending?: boolean;
}

/**
 * Returns the message with the highest priority of §4: filters being applied, tap to play, error,
 * downloading, loading, preparing, buffering. Null leaves the place to the filename banner.
 */
export function overlayMessage(overlaid: Overlaid): OverlayMessage | null {
  if (overlaid.isApplyingFilters) return { kind: 'wait', text: 'Applying filters...' };
  switch (overlaid.phase) {
    case 'blocked':
      return { kind: 'tap', text: startFailures.tapToPlay };
    case 'failed':
      return failureMessage(overlaid);
    case 'downloading':
      return { kind: 'wait', text: 'Downloading video...', progress: progressOf(overlaid) };
    case 'loading':
      return { kind: 'wait', text: 'Loading video...' };
    case 'preparing':
      return { kind: 'wait', text: 'Preparing video...' };
    case 'buffering':
      return { kind: 'wait', text: 'Buffering...' };
    default:
      return null;
  }
}

function progressOf({ delay }: Overlaid): number | null {
  return delay?.processing?.state === 'running' ? delay.processing.progress : null;
}

function failureMessage({ failure, delay, isFiltered, isFilterPending }: Overlaid): OverlayMessage {
  if (failure === 'no-videos') return { kind: 'no-videos', ...(isFiltered && { isFiltered }) };
  if (failure === 'video-error') return { kind: 'error', text: startFailures.videoError };
  if (failure === 'not-playable' && delay) return { kind: 'error', text: delay.reason };
  if (isFilterPending && failure !== 'no-saved') return { kind: 'error', text: startFailures.applyFilters };
  switch (failure) {
    case 'no-data':
      return { kind: 'error', text: startFailures.noVideoData };
    case 'no-network':
      return { kind: 'wait', text: 'Waiting for network' };
    case 'no-saved':
      return { kind: 'no-saved' };
    default:
      return { kind: 'error', text: startFailures.loadVideo };
  }
}

/** `resting`: the device shows fewer videos at once, and the others stand still. */
export type Phase =
  | 'idle'
  | 'loading'
  | 'downloading'
  | 'preparing'
  | 'resting'
  | 'playing'
  | 'buffering'
  | 'blocked'
  | 'failed';

/**
 * Derives a quadrant's phase from its activity and from the facts of its player. The order is that
 * of §4's overlay messages, the most urgent first.
 */
export function phaseOf(state: Pick<QuadrantState, 'activity'>, facts: PlayerFacts): Phase {
  if (facts.isBlocked) return 'blocked';
  if (failureOf(state)) return 'failed';
  const reason = reasonOf(state);
  if (reason === 'downloading') return 'downloading';
  if (reason === 'out-of-sight' || isAskingForScreen(state)) return 'loading';
  if (facts.isResting) return 'resting';
  if (facts.isPreparing) return 'preparing';
  if (facts.isWaiting) return 'buffering';
  return facts.hasFrame && !facts.isPaused ? 'playing' : 'idle';
}

function isAskingForScreen({ activity }: Pick<QuadrantState, 'activity'>): boolean {
  return activity.kind === 'asking' && activity.for === 'screen';
}
