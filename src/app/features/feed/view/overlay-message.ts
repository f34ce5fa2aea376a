import * as failures from '#contract/start-failures.ts';
import type { Phase } from '../quadrant/phase.ts';
import type { Failure, QuadrantState } from '../quadrant/quadrant-state.ts';

export type OverlayMessage =
  /** Something is under way; `reason` is why it takes long, as the server says. */
  | { kind: 'wait'; text: string; reason?: string }
  | { kind: 'error'; text: string }
  /** The viewer is asked for a tap. */
  | { kind: 'tap'; text: string }
  /** The whole quadrant says that there are no videos. `isFiltered`: among those that its filter allows. */
  | { kind: 'no-videos'; isFiltered?: boolean };

interface Overlaid {
  phase: Phase;
  failure: Failure | null;
  delay?: QuadrantState['delay'];
  isFiltered?: boolean;
  isApplyingFilters?: boolean;
  /** The filter has changed since the video on screen was drawn. */
  isFilterPending?: boolean;
}

/** Most delays are over by then. */
const timesUntilReason = 3;

/**
 * §4's priority: filters being applied, tap to play, error, downloading, loading, preparing, buffering. None of them:
 * the filename banner's turn.
 */
export function overlayMessage({
  phase,
  failure,
  delay = null,
  isFiltered = false,
  isApplyingFilters = false,
  isFilterPending = false,
}: Overlaid): OverlayMessage | null {
  if (isApplyingFilters) return { kind: 'wait', text: 'Applying filters...' };
  switch (phase) {
    case 'blocked':
      return { kind: 'tap', text: failures.tapToPlay };
    case 'failed':
      return failureMessage(failure, isFiltered, isFilterPending);
    case 'downloading':
      return {
        kind: 'wait',
        text: 'Downloading video...',
        ...(delay && delay.times >= timesUntilReason && { reason: delay.reason }),
      };
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

function failureMessage(failure: Failure | null, isFiltered: boolean, isFilterPending: boolean): OverlayMessage {
  if (failure === 'no-videos') return { kind: 'no-videos', ...(isFiltered && { isFiltered }) };
  if (failure === 'video-error') return { kind: 'error', text: failures.videoError };
  if (isFilterPending) return { kind: 'error', text: failures.applyFilters };
  switch (failure) {
    case 'no-data':
      return { kind: 'error', text: failures.noVideoData };
    case 'no-network':
      return { kind: 'wait', text: 'Waiting for network' };
    default:
      return { kind: 'error', text: failures.loadVideo };
  }
}
