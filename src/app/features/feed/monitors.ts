import { playerFacts } from '#app/playback/player/player.ts';
import type { QualityHost } from '#app/playback/quality/quality-control.ts';
import { startMonitors } from '../../playback/health/monitors.ts';
import { feed } from './feed-state.ts';
import { isSettled } from './quadrant/quadrant.ts';
import { machines } from './quadrant/quadrant-machine.ts';

/** Starts the monitors of the four quadrants. */
export function startFeedMonitors(): void {
  startMonitors(qualityHost);
}

/** The four quadrants for the quality control. A pinned video always keeps its encoding. */
export const qualityHost: QualityHost = {
  read(quadrant) {
    const state = feed.quadrants[quadrant];
    return (
      state.shown && {
        video: state.shown,
        isExpanded: feed.expanded === quadrant,
        isAudible: !playerFacts[quadrant].isMuted,
        isFree: !state.pinned && !state.isGivenAway && isSettled(state),
      }
    );
  },
  replaced(quadrant, { id, url, rendition }) {
    const { shown } = feed.quadrants[quadrant];
    if (shown?.id === id) machines[quadrant].send({ type: 'addressed', video: { ...shown, url, rendition } });
  },
};
