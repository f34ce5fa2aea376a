import { playerFacts } from '#app/playback/player/player-store.ts';
import type { QualityHost } from '#app/playback/quality/quality-control.ts';
import { feed } from '../quadrant/feed-state.ts';
import { machines } from '../quadrant/quadrant-machine.ts';
import { isSettled } from '../quadrant/quadrant-state.ts';

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
