import * as failures from '#contract/start-failures.ts';
import type { Phase } from '../quadrant/phase.ts';
import type { Failure, QuadrantState } from '../quadrant/quadrant-state.ts';

export type OverlayMessage =
  /** Something is under way. `progress`: 0 to 100, null before it begins; left out where nobody knows it. */
  | { kind: 'wait'; text: string; progress?: number | null }
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

/**
 * §4's priority: filters being applied, tap to play, error, downloading, loading, preparing, buffering. None of them:
 * the filename banner's turn.
 */
export function overlayMessage(overlaid: Overlaid): OverlayMessage | null {
  if (overlaid.isApplyingFilters) return { kind: 'wait', text: 'Applying filters...' };
  switch (overlaid.phase) {
    case 'blocked':
      return { kind: 'tap', text: failures.tapToPlay };
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
  if (failure === 'video-error') return { kind: 'error', text: failures.videoError };
  if (failure === 'not-playable' && delay) return { kind: 'error', text: delay.reason };
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
