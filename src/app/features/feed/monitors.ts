import { playerFacts } from '#app/playback/player/player.ts';
import type { QualityHost } from '#app/playback/quality/quality-control.ts';
import { startMonitors } from '../../playback/health/monitors.ts';
import { feed } from './feed-state.ts';
import { isSettled } from './quadrant/quadrant.ts';
import { machines } from './quadrant/quadrant-machine.ts';

/** What watches the four quadrants while they play. */
export function startFeedMonitors(): void {
  startMonitors(qualityHost);
}

/** The four quadrants, as the choice of encodings sees them. A pinned video stays as it is, whatever it is. */
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
